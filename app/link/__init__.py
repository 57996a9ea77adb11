"""The link between operator station and robot host: zenoh, one fixed endpoint, nothing found by multicast.

The robot host listens, the station connects, and keeps trying while there is no host. All topics lie below
``handhold/<robot>/``:

| topic | from | what | what cannot be sent at once |
|---|---|---|---|
| ``operator`` | station | samples of the operator; only the newest is worth anything | dropped |
| ``stop`` | station | stops and resumes, which no other message overwrites | sent again until the host has it |
| ``lease`` | station | asks for the robot, takes it over, hands it over, lets it go | sent again while it is meant |
| ``status`` | host | who drives, what was received, what is refused; its stamps bound the age of samples | dropped |
| ``snapshot``, ``event`` | host | the robot, and pulses to feel | dropped |
| ``surfaces`` | camera | what is seen of the surroundings | dropped |
| ``solids`` | host | where the solids of a simulated world are, for a simulated camera | dropped |

Three gates stand one behind the other. *Transport*: a peer without the session's key gets no connection (zenoh's challenge
and response), and each peer that has one is limited in rate before our code runs. *Seal*: a message that the session's key
does not authenticate, or that came before, is refused. *Lease*: one station drives; a stop needs no lease.
"""

from handhold.app.link.config import DEFAULT_PORT, KEY_BYTES, LOOPBACK, LinkConfig, LinkError, TlsFiles, make_key
from handhold.app.link.host_link import Arrival, HostLink
from handhold.app.link.station_link import StationLink

__all__ = [
    "DEFAULT_PORT",
    "KEY_BYTES",
    "LOOPBACK",
    "Arrival",
    "HostLink",
    "LinkConfig",
    "LinkError",
    "StationLink",
    "TlsFiles",
    "make_key",
]
