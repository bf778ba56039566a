/** Every command of the page is run. Programs that this machine may lack are imitated; Tocsin's own are real. */
import assert from 'node:assert/strict';
import { cp, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { HIDDEN } from '../../src/cli/unit.ts';
import { REPOSITORY, runCli, temporaryFolder } from '../process.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

/** Runs what a container would run, on the folder that stands for its volume. */
const INSIDE = `
inside() {
  export DATABASE_URL=sqlite:$PWD/data/tocsin.db
  set -- $(echo "$*" | sed "s#/data/#$PWD/data/#g")
  ${TOCSIN}
}
node() {
  while [ "$1" != node ]; do shift; done
  exec '${process.execPath}' -e "$3" "$PWD$4"
}
copy() {
  while [ "$1" != cp ]; do shift; done
  exec cp "$PWD\${2#tocsin:}" "$3"
}`;

const SECRET = `${'s'.repeat(43)}\n`;

const PROGRAMS = {
  npx: `shift; case $1 in serve) echo serves ;; *) ${TOCSIN} ;; esac`,
  docker: `${INSIDE}
case "$*" in
  *"exec tocsin tocsin doctor"*) echo "$*" ;;
  *"exec tocsin tocsin"*) words=$*; inside \${words##*exec tocsin tocsin } ;;
  *"exec tocsin node -e "*) node "$@" ;;
  *"cp tocsin:"*) copy "$@" ;;
  *) echo "docker $*" ;;
esac`,
  kubectl: `${INSIDE}
case "$*" in
  *"-- tocsin backup"*) words=$*; inside \${words##*-- tocsin } ;;
  *"-- node -e "*) node "$@" ;;
  *) echo "kubectl $*" ;;
esac`,
  helm: 'echo "helm $*"',
  sudo: 'exec "$@"',
  npm: `mkdir -p "$4/bin"; printf '%s\\n' '#!/bin/sh' "$(cat <<'END'\n${TOCSIN}\nEND\n)" > "$4/bin/tocsin"; chmod +x "$4/bin/tocsin"`,
  useradd: 'echo "useradd $*"',
  userdel: 'echo "userdel $*"',
  systemctl: 'echo "systemctl $*"',
  openssl: 'echo 0123456789abcdef',
};

/** A whole backup and its key are in the folder, and nothing is left in a volume. They are taken away for the next way. */
async function assertBackup(place: string): Promise<void> {
  const found = await Array.fromAsync(glob('{.,data,var/lib/tocsin}/backup-*', { cwd: place }));
  const [backup = '', key = '', ...others] = found.toSorted();
  assert.deepEqual([key, others], [`${backup}.secret`, []]);
  assert.equal(dirname(backup), '.');
  assert.equal(await readFile(join(place, key), 'utf8'), SECRET);
  const { code, stdout, stderr } = await runCli(['verify', backup], { cwd: place });
  assert.equal(code, 0, stdout + stderr);
  for (const name of [backup, key]) await rm(join(place, name));
}

test('every command of the page does what it says', async () => {
  await using folder = await temporaryFolder();
  const place = folder.path;
  await cp(join(REPOSITORY, 'deploy/compose'), place, { recursive: true });
  for (const name of ['data', 'etc/systemd/system', 'var/lib/tocsin', 'opt'])
    await mkdir(join(place, name), { recursive: true });
  for (const path of ['data/tocsin.db', 'var/lib/tocsin/tocsin.db']) {
    const { code, stderr } = await runCli(['migrate'], {
      cwd: place,
      env: { DATABASE_URL: `sqlite:${path}` },
    });
    assert.equal(code, 0, stderr);
    await writeFile(join(place, `${path}.secret`), SECRET, { mode: 0o600 });
  }

  for (const { section, script } of await commandsOf('installing.md')) {
    // Nothing outside of the folder is touched.
    const local = script.replaceAll(/(?<![\w.])\/(?=(opt|etc|var)\/)/g, `${place}/`);
    assert.doesNotMatch(local.replaceAll(`${place}/`, ''), /\/(opt|etc|var)\//);
    const { code, stdout, stderr } = await runCommands(local, { cwd: place, programs: PROGRAMS });
    assert.equal(code, 0, `${section}:\n${local}\n${stdout}${stderr}`);
    // A checkout in such a folder has no unit, and its command says so.
    if (local.includes('tocsin unit --socket') && !HIDDEN.some((hidden) => REPOSITORY.startsWith(hidden))) {
      const unit = await readFile(join(place, 'etc/systemd/system/tocsin.service'), 'utf8');
      assert.match(unit, /^ExecStart=.+ serve$/m);
    }
    if (/tocsin(-server)? backup /.test(local)) await assertBackup(place);
  }
  for (const name of ['.env', 'postgres-password']) await stat(join(place, name));
  await assert.rejects(stat(join(place, 'etc/tocsin')));
});
