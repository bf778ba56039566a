/** The companion: commands that run beside jobs. It uses Node's own modules only, and runs on Node 20 and newer. */
import { readFileSync, write } from 'node:fs';
import { uptime } from 'node:os';
import { COMMANDS } from './command-list.ts';
import type { Leaving } from './leave.ts';
import type { Machine } from './machine.ts';

// Packages have all of the companion in this module and in what it loads later: whoever is not the companion imports this one.
export { type ApiProfile, profilePaths, readProfile } from './profile.ts';
export { readDuration } from './values.ts';
export { COMMANDS };

/** Runs one command of the companion with the arguments behind its name. */
export async function main(name: string, argv: readonly string[]): Promise<void> {
  await runCommand(name, argv, thisMachine());
}

async function runCommand(name: string, argv: readonly string[], machine: Machine): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`the companion has no command ${name}`);
  await (await command.load())(argv, machine);
}

/** With the name of a command, runs it for a process that can kill this one; else sends the pings of such a process. */
export async function mainOfSecondProcess([name, ...argv]: readonly string[]): Promise<void> {
  if (name === undefined) {
    (await import('./run/beside-job.ts')).servePingsOn(thisMachine());
    return;
  }
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // It does not keep us from ending.
  process.channel?.unref();
  const leaveToParent = (leaving: Leaving) => {
    process.channel?.ref();
    process.send?.(leaving);
  };
  await runCommand(name, argv, { ...thisMachine(), processId: process.ppid, leaveToParent });
}

const STANDARD_ERROR = 2;
const MOST_FLUSH_MS = 200;

function thisMachine(): Machine {
  let bootId: string | null | undefined;
  const lines = new Set<Promise<void>>();
  return {
    secondProcess: import.meta.filename.replace(/main(\.\w+)$/, 'second-process$1'),
    processId: process.pid,
    leaveToParent: null,
    environment: process.env,
    platform: `${process.platform}-${process.arch}`,
    userId: process.getuid?.() ?? null,
    // `performance` would be loaded for it.
    monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
    moment: () => {
      bootId ??= readRandom('boot_id');
      return {
        wallMs: Date.now(),
        bootId,
        sinceBootMs: bootId === null ? null : Math.round(uptime() * 1_000),
      };
    },
    randomUuid,
    say: (line) => {
      const writing = new Promise<void>((resolve) => {
        // In the background: where nobody reads, the job must not wait for us.
        write(STANDARD_ERROR, `tocsin: ${line}\n`, () => resolve());
      });
      lines.add(writing);
      void writing.then(() => lines.delete(writing));
    },
    flush: async () => {
      const late = new Promise<void>((resolve) => setTimeout(resolve, MOST_FLUSH_MS).unref());
      await Promise.race([Promise.all(lines), late]);
    },
  };
}

/** Node's own takes as long to load as all the rest, and a job has a run id from the beginning. */
function randomUuid(): string {
  return readRandom('uuid') ?? crypto.randomUUID();
}

/** The system makes these files when they are read: no disk is asked. */
function readRandom(name: 'boot_id' | 'uuid'): string | null {
  try {
    return readFileSync(`/proc/sys/kernel/random/${name}`, 'latin1').trim();
  } catch {
    return null;
  }
}
