/**
 * Restores an archive in the place of a database, and kills itself before its change number `kill` of files, if there are as
 * many. Called with: archive, database, secret, kill.
 */
import files from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [archive = '', path = '', current = '', kill = ''] = process.argv.slice(2);
let left = Number(kill);

function countChanges(module: object, names: readonly string[]): void {
  for (const name of names) {
    const original: (...args: unknown[]) => unknown = Reflect.get(module, name);
    Reflect.set(module, name, (...args: unknown[]) => {
      if (!isReading(name, args)) left--;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return original(...args);
    });
  }
}

function isReading(name: string, [, flags = 'r']: readonly unknown[]): boolean {
  return name.startsWith('open') && flags === 'r';
}

countChanges(promises, ['open', 'rename', 'link', 'rm']);
countChanges(files, ['openSync']);
syncBuiltinESMExports();

// These modules must see the counting functions.
const { systemClock: clock } = await import('../../src/lib/clock.ts');
const { systemRandom: random } = await import('../../src/lib/random.ts');
const { openSource } = await import('../../src/storage/archive/source.ts');
const { restore } = await import('../../src/storage/archive/restore.ts');

const source = await openSource(archive, { clock, release: '1.2.3' });
const secrets = { current, fallbacks: [] };
await restore({ engine: 'sqlite', path }, { source, secrets, replaces: true, clock, random });
console.log('restored');
