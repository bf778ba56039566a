import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../test/process.ts';
import { PROVISION_LIMITS } from './document.ts';
import { readDeclaration, readProvisionFile } from './file.ts';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFile } from './parse.ts';

const { maxBytes } = PROVISION_LIMITS;
const TOO_LONG = new RegExp(`:1: the file is longer than ${maxBytes} bytes$`);

describe('a provisioning file', () => {
  test('is read up to its limit, and refused beyond', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'tocsin.yaml');

    await writeFile(path, Buffer.alloc(maxBytes, ' '));
    assert.equal((await readProvisionFile(path)).length, maxBytes);

    await writeFile(path, Buffer.alloc(maxBytes + 1, ' '));
    await assert.rejects(readProvisionFile(path), TOO_LONG);
  });

  test('that has no end is refused, too', async () => {
    await assert.rejects(readProvisionFile('/dev/zero'), TOO_LONG);
  });

  test('that is not there is told by its path', async () => {
    await assert.rejects(readProvisionFile('/no/such/tocsin.yaml'), /\/no\/such\/tocsin\.yaml/);
  });

  test('that is long is parsed in a thread, to the same result', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'tocsin.yaml');
    const line =
      '      - { slug: job-%, tags: prod db, schedule: "0 3 * * *", tz: Europe/Riga, grace: 3600 }\n';
    const checks = Array.from({ length: 1_000 }, (_, index) => line.replace('%', String(index))).join('');
    const content = `projects:\n  - name: Alpha\n    owner: alice@example.org\n    checks:\n${checks}`;

    await writeFile(path, content);
    assert.deepEqual((await readDeclaration(path, {})).declaration, parseProvisionFile(path, content));

    await writeFile(path, `${content}      - { slug: job-1, tags: prod }\n`);
    await assert.rejects(readDeclaration(path, {}), {
      name: 'ProvisionFileError',
      message: `${path}:1005: slug job-1 is declared on line 6 already`,
    });
  });
});

/** A folder with these files. */
async function givenFolder(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  const faultsOf = async (variables = {}): Promise<string[]> => {
    try {
      await readDeclaration(folder.path, variables);
    } catch (error) {
      assert.ok(error instanceof ProvisionFileError, String(error));
      return error.message.replaceAll(`${folder.path}/`, '').split('\n');
    }
    return [];
  };
  const read = async (variables = {}) => (await readDeclaration(folder.path, variables)).declaration;
  return { path: folder.path, read, faultsOf, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe('a folder of provisioning files', () => {
  test('is one declaration: lists of a project in several files are joined', async () => {
    await using given = await givenFolder({
      'accounts.yaml': 'source: infra\naccounts: [{ email: a@example.org }]\n',
      'alpha.yml': 'projects: [{ name: Alpha, owner: a@example.org, checks: [{ slug: one }] }]\n',
      'more/jobs.yaml':
        'projects:\n  - name: Alpha\n    members: [b@example.org]\n    checks: [{ slug: two }]\n',
      'README.md': 'not: yaml: at all',
      'old.yaml~': 'people: []',
      '.hidden.yaml': 'people: []',
    });
    await mkdir(join(given.path, '..data'));
    await writeFile(
      join(given.path, '..data/linked.yaml'),
      'projects: [{ name: Alpha, checks: [{ slug: three }] }]',
    );
    await symlink('..data/linked.yaml', join(given.path, 'linked.yaml'));

    const { source, accounts, projects } = await given.read();

    assert.deepEqual([source, accounts.length, projects.length], ['infra', 1, 1]);
    const [alpha] = projects;
    assert.deepEqual(
      [alpha?.owner, alpha?.members.map(({ email }) => email), alpha?.checks.map(({ slug }) => slug)],
      ['a@example.org', ['b@example.org'], ['one', 'three', 'two']],
    );
  });

  test('has faults with their files and lines', async () => {
    await using given = await givenFolder({
      'a.yaml':
        'source: one\nprojects: [{ name: Alpha, owner: a@example.org, checks: [{ slug: x }], keys: {} }]\n',
      'b.yaml':
        'source: two\nprojects:\n  - name: Alpha\n    keys: {}\n    checks: [{ slug: x }]\n  - { name: Alpha, owner: a@example.org }\n',
      'c.yaml': 'projects: [{ name: Beta }]\n# more\npeople: []\n',
      'd.yaml': '- a list\n',
    });

    assert.deepEqual(await given.faultsOf(), [
      'b.yaml:1: source is given at a.yaml:1 already',
      'b.yaml:4: keys are given at a.yaml:2 already',
      'b.yaml:5: slug x is declared at a.yaml:2 already',
      'b.yaml:6: project Alpha of a@example.org is declared at a.yaml:2 already',
      'c.yaml:1: project Beta: owner is missing',
      'c.yaml:3: people is not known (known here: source, accounts, projects, tokens)',
      'd.yaml:1: the file is not a mapping',
    ]);
  });

  test('may be empty, and then declares nothing', async () => {
    await using given = await givenFolder({});

    assert.deepEqual(await given.read(), { source: 'default', accounts: [], projects: [] });
  });
});

describe('variables in a file', () => {
  const named = (name: string) => `projects: [{ name: ${JSON.stringify(name)}, owner: a@example.org }]\n`;

  test('are data: they are replaced in any text, once, and never read as YAML', async () => {
    const variables = { A: 'x: # [y]\nz', B: `\${A}`, EMPTY: '' };
    for (const [written, read] of [
      [`\${A}`, 'x: # [y]\nz'],
      [`\${B}`, `\${A}`],
      [`in \${B}-\${NONE:-other text}.`, `in \${A}-other text.`],
      [`$\${A} $A $`, `\${A} $A $`],
      [`x\${EMPTY}\${NONE:-}`, 'x'],
    ] as const) {
      await using given = await givenFolder({ 'a.yaml': named(written) });
      assert.equal((await given.read(variables)).projects[0]?.name, read, written);
    }
  });

  test('that are not set are faults with their line', async () => {
    await using given = await givenFolder({ 'a.yaml': `# First.\n${named(`\${UNSET}`)}` });

    assert.deepEqual(await given.faultsOf({ UNSE: 'x' }), [
      `a.yaml:2: the variable UNSET is not set (\${UNSET})`,
      'a.yaml:2: projects[0]: name is not a valid name: it is empty',
    ]);
  });
});

describe('secrets in files', () => {
  const SECRET = 'correct horse battery staple';
  const account = (password: string) => `accounts: [{ email: a@example.org, password: "${password}" }]\n`;

  test('are read without the last end of line, from beside the file that names them', async () => {
    await using given = await givenFolder({
      'a.yaml': account('file:secrets/alice'),
      'below/b.yaml': `projects:
  - name: file:secrets/alice
    owner: a@example.org
    keys: { read_write: "file:../secrets/key" }
    integrations: [{ kind: ntfy, name: Ops, url: https://ntfy.example.org, topic: jobs, token: "file:../secrets/token" }]
`,
      'secrets/alice': `${SECRET}\n`,
      'secrets/key': 'hcw_0123456789abcdefghijklmnopqr',
      'secrets/token': 'tk_secret\r\n',
    });

    const { accounts, projects } = await given.read();

    assert.equal(accounts[0]?.password, SECRET);
    const [project] = projects;
    assert.equal(project?.name, 'file:secrets/alice', 'a name is no secret');
    assert.equal(project?.keys.readWrite, 'hcw_0123456789abcdefghijklmnopqr');
    assert.equal(project?.channels[0]?.settings.token, 'tk_secret');
  });

  test('may have a path with variables, and the value of a variable is no path', async () => {
    await using given = await givenFolder({
      'a.yaml': account(`file:\${FOLDER}/alice`),
      'b.yaml': account(`\${PASSWORD}`).replace('a@', 'b@'),
      'secrets/alice': SECRET,
    });

    const { accounts } = await given.read({ FOLDER: 'secrets', PASSWORD: `file:\${FOLDER}/alice` });

    assert.deepEqual(
      accounts.map(({ password }) => password),
      [SECRET, `file:\${FOLDER}/alice`],
    );
  });

  test('that cannot be read are faults with their line and path, never with their content', async () => {
    await using given = await givenFolder({
      'a.yaml': account('file:none'),
      'b.yaml': account('file:folder'),
      'c.yaml': account('file:long'),
      'd.yaml': account('file:short'),
      'folder/x': '',
      long: SECRET.repeat(3_000),
      short: 'secret',
    });

    const faults = await given.faultsOf();

    for (const [index, reason] of [
      'a.yaml:1: accounts[0]: password: file:none cannot be read (ENOENT)',
      'b.yaml:1: accounts[0]: password: file:folder is not a file',
      'c.yaml:1: accounts[0]: password: file:long is longer than 65536 bytes',
    ].entries())
      assert.equal(faults.filter((fault) => !fault.includes('already'))[index], reason);
    assert.match(
      faults.join('\n'),
      /^d\.yaml:1: accounts\[0\]: password is not a valid password: it has fewer/m,
    );
    assert.doesNotMatch(faults.join('\n'), /correct horse|"secret"/);
  });
});
