import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestApp } from './app.ts';
import { REPOSITORY, temporaryFolder, unless } from './process.ts';

// Clients that generators of others make of our document compile, and work.

const GENERATOR = process.env.TEST_OPENAPI_GENERATOR ?? 'openapi-generator';
const TYPESCRIPT = process.env.TEST_OPENAPI_TYPESCRIPT ?? 'openapi-typescript';
const PYTHON = process.env.TEST_OPENAPI_PYTHON ?? 'python3';

const run = promisify(execFile);

/** A test in a folder with the document, against a service. The program prints the names of the checks as JSON. */
async function tryClient(makeProgram: (folder: string) => Promise<readonly [string, ...string[]]>) {
  await using app = await startTestApp('sqlite');
  await using folder = await temporaryFolder();
  const { project, key } = await app.givenProject();
  const { text } = await app.request('GET', '/api/v3/openapi.json');
  await writeFile(join(folder.path, 'openapi.json'), text);
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');

  const [program, ...args] = await makeProgram(folder.path);
  const { stdout } = await run(program, [...args, `http://127.0.0.1:${await app.port()}`, key], {
    cwd: folder.path,
  });

  assert.deepEqual(JSON.parse(stdout), { listed: ['Generated'], pinged: 'OK' });
  const [id = assert.fail()] = (await app.deps.store.checks.ofProject(project.id)).map(({ id }) => id);
  const [check] = await app.deps.store.checks.byIds([id]);
  assert.deepEqual([check?.timeoutSeconds, check?.pingCount, check?.status], [3600, 1, 'up']);
}

/** Compiles a program and what it imports. The types of Node are those of this repository. */
async function compile(folder: string, main: string): Promise<void> {
  const options = {
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    typeRoots: [join(REPOSITORY, 'node_modules/@types')],
    types: ['node'],
    rewriteRelativeImportExtensions: true,
    outDir: 'out',
    rootDir: '.',
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [main] }));
  await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }) =>
    assert.fail(`it does not compile:\n${stdout}`),
  );
}

const WITH_FETCH = `import { ChecksApi, Configuration, PingsApi } from './client/index.js';

const [basePath = '', apiKey = ''] = process.argv.slice(2);
const configuration = new Configuration({ basePath, apiKey });
const checks = new ChecksApi(configuration);
const { uuid } = await checks.createCheck({ createCheck: { name: 'Generated', timeout: 3600 } });
const pinged = await new PingsApi(configuration).ping({ check: uuid });
const listed = (await checks.listChecks()).checks.map(({ name }) => name);
console.log(JSON.stringify({ listed, pinged }));
`;

const [generator, ...itsJar] = GENERATOR.endsWith('.jar') ? ['java', '-jar', GENERATOR] : [GENERATOR];

test(
  'a client of typescript-fetch compiles, and creates, lists and pings a check',
  {
    skip: unless(
      [generator ?? '', ...itsJar, 'version'],
      'there is no openapi-generator: TEST_OPENAPI_GENERATOR can name one, or its jar',
    ),
  },
  () =>
    tryClient(async (folder) => {
      const options = ['-i', join(folder, 'openapi.json'), '-o', join(folder, 'client')];
      const extension = '--additional-properties=importFileExtension=.js';
      await run(generator ?? '', [...itsJar, 'generate', '-g', 'typescript-fetch', ...options, extension]);
      await writeFile(join(folder, 'main.ts'), WITH_FETCH);
      await compile(folder, 'main.ts');
      return [process.execPath, join(folder, 'out/main.js')];
    }),
);

const WITH_TYPES = `import type { paths } from './client.ts';

const [root = '', key = ''] = process.argv.slice(2);
type List = paths['/api/v3/checks/'];
const body: NonNullable<List['post']['requestBody']>['content']['application/json'] = {
  name: 'Generated',
  timeout: 3600,
};
const call = (path: keyof paths, init: RequestInit = {}) =>
  fetch(root + path, { ...init, headers: { 'x-api-key': key } });
const made = await call('/api/v3/checks/', { method: 'POST', body: JSON.stringify(body) });
const { uuid }: List['post']['responses'][201]['content']['application/json'] = await made.json();
type Ping = paths['/ping/{check}']['get'];
const where: Ping['parameters']['path'] = { check: uuid };
const pinged: Ping['responses'][200]['content']['text/plain; charset=utf-8'] = await (
  await fetch(\`\${root}/ping/\${where.check}\`)
).text();
const all: List['get']['responses'][200]['content']['application/json'] = await (await call('/api/v3/checks/')).json();
console.log(JSON.stringify({ listed: all.checks.map(({ name }) => name), pinged }));
`;

test(
  'a program with the types of openapi-typescript compiles, and creates, lists and pings a check',
  {
    skip: unless(
      [TYPESCRIPT, '--version'],
      'there is no openapi-typescript: TEST_OPENAPI_TYPESCRIPT can name one',
    ),
  },
  () =>
    tryClient(async (folder) => {
      await run(TYPESCRIPT, [join(folder, 'openapi.json'), '-o', join(folder, 'client.ts')]);
      await writeFile(join(folder, 'main.ts'), WITH_TYPES);
      await compile(folder, 'main.ts');
      return [process.execPath, join(folder, 'out/main.js')];
    }),
);

const IN_PYTHON = `import json
import sys

from client import AuthenticatedClient, Client
from client.api.checks import create_check, list_checks
from client.api.pings import ping
from client.models import Check, CreateCheck

root, key = sys.argv[1:]
client = AuthenticatedClient(base_url=root, token=key, prefix="", auth_header_name="X-Api-Key")
made = create_check.sync(client=client, body=CreateCheck(name="Generated", timeout=3600))
assert isinstance(made, Check)
pinged = ping.sync(made.uuid, client=Client(base_url=root))
listed = [check.name for check in list_checks.sync(client=client).checks]
print(json.dumps({"listed": listed, "pinged": pinged}))
`;

test(
  'a client of openapi-python-client compiles, and creates, lists and pings a check',
  {
    skip: unless(
      [PYTHON, '-c', 'import openapi_python_client'],
      'there is no openapi-python-client: TEST_OPENAPI_PYTHON can name a Python that has it',
    ),
  },
  () =>
    tryClient(async (folder) => {
      const options = ['--path', join(folder, 'openapi.json'), '--output-path', join(folder, 'client')];
      await run(PYTHON, ['-m', 'openapi_python_client', 'generate', ...options, '--meta', 'none']);
      await run(PYTHON, ['-m', 'compileall', '-q', join(folder, 'client')]);
      await writeFile(join(folder, 'main.py'), IN_PYTHON);
      return [PYTHON, join(folder, 'main.py')];
    }),
);
