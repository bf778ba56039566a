/** Packs the package `tocsin` into the working folder, as `npm pack` does with `tocsin-server`: `npm run pack:client`. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClient } from './client-folder.ts';
import { pack } from './list.ts';

await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-client-'));
await makeClient(folder.path);
await pack(folder.path, ['--pack-destination', process.cwd()]);
