/**
 * Runs the image and the files of `deploy/compose` by podman: `npm run verify:podman`. It needs podman with its plugins for networks,
 * podman-compose, what `npm run image` needs, root and some minutes. What a machine lacks is skipped, with the reason. Images of
 * PostgreSQL and Caddy are made of Debian's packages, and podman keeps everything in a folder of its own.
 *
 * podman leaves the times of health checks to systemd. Here the tests ask for each one, so that it works without.
 */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { freePort } from '../../test/free-port.ts';
import { type Exit, REPOSITORY, startProcess, unless } from '../../test/process.ts';
import { until } from '../../test/waiting.ts';
import { DECLARATION, ENVIRONMENT, KEY, PING_PATH, withoutTools } from '../image/trial.ts';
import { ROOT, readLock } from '../package/lock.ts';

/** Kept for the next time: making it takes minutes. */
const OTHERS = join(REPOSITORY, 'dist-podman/others.tar');
const hasRunc = !unless(['runc', '--version'], 'missing');

/** As the official image does it, with the same variables and volume. */
const START_POSTGRES = `set -e
data=/var/lib/postgresql/18/docker
as_postgres='setpriv --reuid=postgres --regid=postgres --clear-groups'
install -d -o postgres -g postgres -m 700 $data
install -d -o postgres /var/run/postgresql
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
if [ ! -s $data/PG_VERSION ]; then
  $as_postgres initdb --pgdata=$data --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE"
  echo host all all all scram-sha-256 >> $data/pg_hba.conf
  echo "create database $POSTGRES_DB" | $as_postgres postgres --single -D $data postgres
fi
exec $as_postgres postgres -D $data -c 'listen_addresses=*'`;

const { version } = await readLock();
const skip =
  (process.getuid?.() !== 0 && 'only root can limit memory on every machine') ||
  (process.arch !== 'x64' && 'this processor runs another platform') ||
  unless(['podman', '--version'], 'podman is not installed') ||
  unless(['/usr/lib/podman/aardvark-dns', '--version'], 'aardvark-dns is not installed') ||
  withoutTools;
const withoutCompose = unless(['podman-compose', '--version'], 'podman-compose is not installed');

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly ca?: Buffer;
}

suite('podman', { skip }, () => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tocsin-verify-podman-'));
    environment = { ...ENVIRONMENT, ...(await ownPlaces(folder)) };
    await run('npm', ['run', '-s', 'image', '--', '--to', folder], ROOT);
    await podman('load', '--input', join(folder, `tocsin-${version}-amd64.tar`));
    if (withoutCompose) return;
    await makeOthers();
    const imported = (name: string, variables: readonly string[], entryPoint: readonly string[]) =>
      podman(
        ...['import', '--quiet', ...variables.flatMap((one) => ['--change', `ENV ${one}`])],
        ...['--change', `ENTRYPOINT ${JSON.stringify(entryPoint)}`, OTHERS, name],
      );
    await imported('postgres:18', ['PATH=/usr/sbin:/usr/bin:/sbin:/bin'], ['sh', '-c', START_POSTGRES]);
    const caddy = ['/usr/bin/caddy', 'run', '--config', '/etc/caddy/Caddyfile'];
    await imported('caddy:2', ['XDG_DATA_HOME=/data', 'XDG_CONFIG_HOME=/config'], caddy);
  });

  after(async () => {
    await podman('rm', '--all', '--force', '--time', '0');
    await podman('volume', 'prune', '--force');
    await podman('network', 'prune', '--force');
    // Layers are mounted until then.
    await podman('rmi', '--all', '--force');
    await rm(folder, { recursive: true, force: true });
  });

  async function exitOf(program: string, args: readonly string[], cwd: string): Promise<Exit> {
    await using running = startProcess(program, args, { cwd, env: environment });
    return await running.exit();
  }

  async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
    const { code, stdout, stderr } = await exitOf(program, args, cwd);
    assert.equal(code, 0, `${program} ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  const podman = (...args: string[]) => run('podman', args, folder);

  async function makeOthers(): Promise<void> {
    if ((await stat(OTHERS).catch(() => null)) !== null) return;
    await mkdir(join(REPOSITORY, 'dist-podman'), { recursive: true });
    const codename = await run('sh', ['-c', '. /etc/os-release && echo "$VERSION_CODENAME"'], folder);
    const noCluster =
      'mkdir -p "$1/etc/postgresql-common" && echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"';
    await run(
      'mmdebstrap',
      [
        ...['--variant=minbase', '--include=postgresql,caddy', `--essential-hook=${noCluster}`],
        ...[codename, OTHERS],
      ],
      folder,
    );
  }

  async function healthOf(container: string): Promise<string> {
    // It ends with 1 if the answer is no.
    await exitOf('podman', ['healthcheck', 'run', container], folder);
    return await podman('inspect', '--format', '{{.State.Health.Status}}', container);
  }

  test('the image is healthy with 300 MB on a root that it cannot write, and unhealthy when nobody opens', async (t) => {
    const port = await freePort();
    const began = performance.now();
    await podman(
      ...['run', '--detach', '--name', 'alone', '--read-only', '--memory', '300m', '--cap-drop', 'ALL'],
      ...['--publish', `127.0.0.1:${port}:8000`, '--volume', 'alone:/data', `tocsin:${version}`],
    );
    await until('it is healthy', async () => (await healthOf('alone')) === 'healthy');
    t.diagnostic(`healthy after ${Math.round(performance.now() - began)} ms`);
    assert.equal(await bodyOf(`http://127.0.0.1:${port}/api/v3/accepts/`), 'yes');
    t.diagnostic(await podman('stats', '--no-stream', '--format', '{{.MemUsage}}', 'alone'));

    const pid = Number(await podman('inspect', '--format', '{{.State.Pid}}', 'alone'));
    process.kill(pid, 'SIGSTOP');
    await until('it is unhealthy', async () => (await healthOf('alone')) === 'unhealthy');
    process.kill(pid, 'SIGCONT');
    await until('it is healthy again', async () => (await healthOf('alone')) === 'healthy');

    await podman('stop', 'alone');
    assert.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', 'alone'), '0');
  });

  const FILES = {
    'sqlite.yaml': { root: 'http://localhost:8000', authority: null },
    'postgres.yaml': { root: 'https://localhost', authority: '/data/caddy/pki/authorities/local/root.crt' },
  };
  for (const [file, { root, authority }] of Object.entries(FILES))
    test(`${file} takes pings, and after down and up all is there`, { skip: withoutCompose }, async () => {
      // Containers have the name of the folder.
      const project = file.replace('.yaml', '');
      const place = join(folder, project);
      await cp(join(ROOT, 'deploy/compose'), place, { recursive: true });
      await writeFile(join(place, 'postgres-password'), '0123456789abcdef', { mode: 0o444 });
      await writeFile(join(place, 'declaration.yaml'), DECLARATION);
      const settings = (await readFile(join(place, '.env.example'), 'utf8'))
        .replace(/^SITE_ROOT=.*$/m, `SITE_ROOT=${root}`)
        .replace(/^TOCSIN_VERSION=.*$/m, `TOCSIN_VERSION=${version}`);
      await writeFile(join(place, '.env'), settings);
      const compose = (...args: string[]) => run('podman-compose', ['-f', file, ...args], place);
      const tocsin = `${project}_tocsin_1`;
      const accepts = () =>
        exitOf('podman', ['exec', tocsin, 'tocsin', 'health'], folder).then(({ code }) => code === 0);
      const copied = async (path: string) => {
        await podman('cp', `${project}_caddy_1:${path}`, place);
        return await readFile(join(place, path.split('/').at(-1) ?? ''));
      };
      const pings = async (asked: Asked) => {
        const text = await bodyOf(`${root}/api/v3/checks/`, { ...asked, headers: { 'X-Api-Key': KEY } });
        return (JSON.parse(text) as { checks: { n_pings: number }[] }).checks.map(({ n_pings }) => n_pings);
      };

      await compose('up', '--detach');
      await until('it accepts pings', accepts);
      await podman('cp', join(place, 'declaration.yaml'), `${tocsin}:/data/declaration.yaml`);
      await podman('exec', tocsin, 'tocsin', 'apply', '/data/declaration.yaml');
      const asked: Asked = authority === null ? {} : { ca: await copied(authority) };
      assert.equal(await bodyOf(root + PING_PATH, asked), 'OK');

      await compose('down');
      await compose('up', '--detach');
      await until('it accepts pings again', accepts);
      assert.deepEqual(await pings(asked), [1]);
      await compose('down');
    });
});

/** Where podman finds its settings. Machines without systemd may neither raise limits nor use crun. */
async function ownPlaces(folder: string): Promise<Readonly<Record<string, string>>> {
  const CONTAINERS_CONF = join(folder, 'containers.conf');
  const CONTAINERS_STORAGE_CONF = join(folder, 'storage.conf');
  const engine = ['cgroup_manager = "cgroupfs"', 'events_logger = "file"'];
  if (hasRunc) engine.push('runtime = "runc"');
  await writeFile(
    CONTAINERS_CONF,
    [
      ...[
        '[containers]',
        'default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]',
        'log_driver = "k8s-file"',
      ],
      ...['[engine]', ...engine],
      ...['[network]', `network_config_dir = "${join(folder, 'networks')}"`, ''],
    ].join('\n'),
  );
  const roots = ['graph', 'run'].map((kind) => `${kind}root = "${join(folder, 'storage', kind)}"`);
  await writeFile(CONTAINERS_STORAGE_CONF, ['[storage]', 'driver = "overlay"', ...roots, ''].join('\n'));
  return { CONTAINERS_CONF, CONTAINERS_STORAGE_CONF };
}

function bodyOf(url: string, asked: Asked = {}): Promise<string> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...asked, agent: false }, (reply) => {
      reply
        .setEncoding('utf8')
        .toArray()
        .then((parts) => resolve(parts.join('')), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}
