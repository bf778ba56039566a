/** Every command of the page is run. Programs that this machine may lack are imitated; Tocsin's own are real. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY, runCli, temporaryFolder } from '../process.ts';
import { commandsOf, runCommands, TOCSIN } from './commands.ts';

/** Runs what a container would run, on the folder that stands for its volume. */
const INSIDE = `
inside() {
  export DATABASE_URL=sqlite:$PWD/data/tocsin.db
  set -- $(echo "$*" | sed "s#/data/#$PWD/data/#g")
  ${TOCSIN}
}`;

const PROGRAMS = {
  npx: `shift; case $1 in serve) echo serves ;; *) ${TOCSIN} ;; esac`,
  docker: `${INSIDE}
case "$*" in
  *"exec tocsin tocsin doctor"*) echo "$*" ;;
  *"exec tocsin tocsin"*) words=$*; inside \${words##*exec tocsin tocsin } ;;
  *) echo "docker $*" ;;
esac`,
  kubectl: `${INSIDE}
case "$*" in
  *"-- tocsin backup"*) words=$*; inside \${words##*-- tocsin } ;;
  *"-- node -e "*) for last; do :; done; exec '${process.execPath}' -e "$(echo "$last" | sed "s#/data/#$PWD/data/#")" ;;
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
  }

  for (const { section, script } of await commandsOf('installing.md')) {
    // Nothing outside of the folder is touched.
    const local = script.replaceAll(/(?<![\w.])\/(?=(opt|etc|var)\/)/g, `${place}/`);
    assert.doesNotMatch(local.replaceAll(`${place}/`, ''), /\/(opt|etc|var)\//);
    // Each way makes its backup anew.
    if (local.includes('/data/backup.archive')) await rm(join(place, 'data/backup.archive'), { force: true });
    const { code, stdout, stderr } = await runCommands(local, { cwd: place, programs: PROGRAMS });
    assert.equal(code, 0, `${section}:\n${local}\n${stdout}${stderr}`);
    if (local.includes('tocsin unit --socket')) {
      const unit = await readFile(join(place, 'etc/systemd/system/tocsin.service'), 'utf8');
      assert.match(unit, /^ExecStart=.+ serve$/m);
    }
    if (local.includes('env --chdir')) await stat(join(place, 'var/lib/tocsin/backup.db'));
  }
  const archives = ['backup.archive', 'data/backup.archive'].map((name) => readFile(join(place, name)));
  const [copied, made] = await Promise.all(archives);
  assert.ok(copied !== undefined && made?.equals(copied));
  for (const name of ['backup.db', 'data/backup.db', '.env', 'postgres-password'])
    await stat(join(place, name));
  await assert.rejects(stat(join(place, 'etc/tocsin')));
});
