/** The process that has files and network where `RemotePings` needs one; see there. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Channel, FromPinger, PingerChannel, ToPinger } from './remote-pings.ts';

/** It has no terminal, so that signals of a terminal do not end it before us. */
export function startPinger(program: string): PingerChannel {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    detached: true,
  });
  return channelTo(child);
}

function channelTo(child: ChildProcess): PingerChannel {
  child.on('error', () => undefined);
  return {
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    // Our own program is at the other end.
    listen: (take) => child.on('message', (message) => take(message as FromPinger)),
    onClose: (gone) => child.once('close', gone),
    close: () => child.kill('SIGKILL'),
  };
}

/** In that process: to the one with the job, whose end is its own. */
export function channelToJob(): Channel<FromPinger, ToPinger> {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  return {
    send: (message) => process.send?.(message),
    // Our own program is at the other end.
    listen: (take) => process.on('message', (message) => take(message as ToPinger)),
    onClose: () => undefined,
    close: () => undefined,
  };
}
