/** The files of the runtime and of Tocsin. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIMES } from '../../bin/runtime.js';
import { type Lock, productionOf, ROOT } from '../package/lock.ts';
import { isRuntime, thirdPartyText } from '../package/third-party.ts';
import type { Architecture } from './oci.ts';
import { entriesIn } from './root.ts';
import { type Entry, file } from './tar.ts';

const run = promisify(execFile);

export const NODE = 'usr/local/bin/node';

/** As Node and as GNU call the processors. */
const PROCESSORS = {
  amd64: { platform: 'linux-x64', strip: 'x86_64-linux-gnu-strip' },
  arm64: { platform: 'linux-arm64', strip: 'aarch64-linux-gnu-strip' },
} as const;

/** The locked runtime of a processor, which need not be this machine's, without symbols for debuggers. */
export async function runtimeEntry(lock: Lock, architecture: Architecture, workshop: string): Promise<Entry> {
  const { platform, strip } = PROCESSORS[architecture];
  const path = RUNTIMES[platform] ?? '';
  const [name = '', ...inside] = path.split('/');
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  await run(
    'npm',
    ['pack', '--silent', '--prefer-offline', '--pack-destination', workshop, `${name}@${version}`],
    { cwd: ROOT },
  );
  const archive = join(workshop, `${name}-${version}.tgz`);
  const found = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (integrity !== `sha512-${found}`) throw new Error(`${name} ${version} has other bytes than in the lock`);
  await run('tar', ['-xzf', archive, '-C', workshop, '--strip-components=1', `package/${inside.join('/')}`]);
  const program = join(workshop, ...inside);
  await run(strip, [program]);
  return file(NODE, await readFile(program), 0o755);
}

/** Who runs it in a container needs none of this. Licences stay. */
const LEFT_OUT =
  /\.(d\.[cm]?ts|map)$|(^|\/)(test|tests|__tests__|benchmarks?|examples?|\.github)\/|(^|\/)(?!licen[cs]e|copying|notice)[^/]*\.(md|markdown)$/i;

const COMMAND = `#!/${NODE}\nimport '/app/dist/cli/index.js';\n`;

export async function programEntries(lock: Lock): Promise<Entry[]> {
  const packages = productionOf(lock).filter(({ name }) => !isRuntime(name));
  const paths = new Set(packages.map(({ path }) => path));
  const inFolders = await Promise.all([
    entriesIn(join(ROOT, 'dist'), 'app/dist', () => true),
    entriesIn(join(ROOT, 'docs'), 'app/docs', (path) => /^(guide\/)?[^/]+\.md$/.test(path)),
    ...packages.map(({ path }) =>
      entriesIn(
        join(ROOT, path),
        join('app', path),
        (inside) => !inside.includes('node_modules') && !LEFT_OUT.test(inside),
      ),
    ),
  ]);
  const single = ['package.json', 'LICENSE'].map(async (name) =>
    file(`app/${name}`, await readFile(join(ROOT, name))),
  );
  await refuseOthers(paths);
  return [
    ...inFolders.flat(),
    ...(await Promise.all(single)),
    file('app/THIRD-PARTY.txt', await thirdPartyText(productionOf(lock))),
    file('usr/local/bin/tocsin', COMMAND, 0o755),
  ];
}

/** What is installed must be what the lock says. */
async function refuseOthers(paths: ReadonlySet<string>): Promise<void> {
  const installed = JSON.parse(await readFile(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')) as Lock;
  const missing = [...paths].filter((path) => installed.packages[path] === undefined);
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')}. Run \`npm ci\``);
  if (!(await readdir(join(ROOT, 'dist'))).includes('cli')) throw new Error('Not built: run `npm run build`');
}
