"""A fair group lock in Redis: two scripts and a BLPOP.

A lock is a hash (group inside, how many) and a queue of "GROUP RID"; who waits does so in BLPOP on
a list of its own, so nobody polls and no connection wakes in vain.  Who comes joins if nobody
waits; when all have left, everybody of the oldest request's group comes in, the rest stays in
order.  An exclusive lock admits one and does not look at the rest.  There is no lease: a client
that dies inside stays inside.
"""

from __future__ import annotations

from typing import Final

ENTER: Final = """
local held = redis.call('HMGET', KEYS[1], 'inside', 'group')
local inside = tonumber(held[1] or 0)
if inside == 0 or (held[2] == ARGV[1] and redis.call('LLEN', KEYS[2]) == 0) then
  redis.call('HSET', KEYS[1], 'inside', inside + 1, 'group', ARGV[1])
  return 1
end
redis.call('RPUSH', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
return 0
"""

LEAVE: Final = """
if redis.call('HINCRBY', KEYS[1], 'inside', -1) > 0 then return 0 end
local head = redis.call('LPOP', KEYS[2])
if not head then return 0 end
local at = string.find(head, ' ', 1, true)
local group = string.sub(head, 1, at - 1)
local admitted = 1
redis.call('RPUSH', KEYS[1] .. string.sub(head, at), 1)
if ARGV[1] ~= '0' then
  local rest = redis.call('LRANGE', KEYS[2], 0, -1)
  redis.call('DEL', KEYS[2])
  for _, one in ipairs(rest) do
    at = string.find(one, ' ', 1, true)
    if string.sub(one, 1, at - 1) == group then
      admitted = admitted + 1
      redis.call('RPUSH', KEYS[1] .. string.sub(one, at), 1)
    else
      redis.call('RPUSH', KEYS[2], one)
    end
  end
end
redis.call('HSET', KEYS[1], 'inside', admitted, 'group', group)
return admitted
"""


def keys(owner: str, lock: str, client: int) -> tuple[str, str, str]:
    """Of the lock's hash, its queue, and the list on which this client is woken.

    Systems share a server, so each has keys of its own.
    """
    return f"{owner} {lock}", f"{owner} queue {lock}", f"{owner} {lock} {client}"
