import { flushCompileCache } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { effectiveSettings } from '../config/environment.ts';
import { type Config, readConfig } from '../config/read-config.ts';
import { isOutage } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { type App, startApp } from '../main.ts';
import type { FirstProject } from '../services/instance/first-start.ts';
import { linkAddress } from '../wire/dashboard/addresses.ts';
import { sitePath } from '../wire/site.ts';
import { startReportText } from '../wire/start-report.ts';
import { prometheusLines } from './apply-here.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { changeLines } from './differences.ts';
import { volumeWarning } from './image-volume.ts';
import { inheritedSocket } from './inherited-socket.ts';
import { PAGES } from './pages.ts';
import { installedAs, VERSION } from './version.ts';

export const serve: Command = {
  usage: '',
  summary: 'run the service until it is stopped',
  async run(args, io) {
    if (args.length > 0)
      throw new UsageError('serve takes no arguments: it is configured by the environment');
    const stopped = io.stopSignal();
    const stopping = new AbortController();
    const environment = io.environment();
    const config = readConfig(environment);
    const socket = inheritedSocket(environment);
    const warning = volumeWarning(config);
    if (warning !== null) io.stderr.write(`${warning}\n`);
    const log = createLog(config.log.level);
    const ready = Promise.withResolvers<'ready'>();
    const starting = startApp(config, {
      clock: systemClock,
      random: systemRandom,
      log,
      databaseTime: (store) => store.time(),
      version: VERSION,
      installed: installedAs(),
      warnings: warning === null ? [] : ['the data is on no volume'],
      pagesFolder: fileURLToPath(PAGES),
      environment,
      settings: effectiveSettings(environment),
      onDatabaseReady: () => ready.resolve('ready'),
      stopping: stopping.signal,
      socket,
      // Whatever is printed elsewhere is kept, and read by others.
      showsKeys: io.stdout.isTTY === true,
    });
    // Ending at once loses nothing: the database rolls back uncommitted work.
    if ((await Promise.race([starting, ready.promise, stopped.then(() => 'stopped')])) === 'stopped') {
      // Whoever waits at the door hears that it does not open.
      stopping.abort();
      await setImmediate();
      io.stdout.write('Stopped during the start: nothing was accepted yet.\n');
      return io.exit(0);
    }
    // Work has begun that is to be finished. Only waits for the database are given up.
    void stopped.then(() => stopping.abort());
    const app = await starting.catch((error: unknown) => {
      if (stopping.signal.aborted && isOutage(error)) return null;
      throw error;
    });
    if (app === null) {
      io.stdout.write('Stopped during the start.\n');
      return 0;
    }
    io.stdout.write(`${banner(app, config)}
`);
    // Flushed now, because the process may be killed before a clean end.
    flushCompileCache();
    await stopped;
    return stop(app, io, config.http.shutdownTimeoutSeconds);
  },
};

/** Waits for accepted requests, but only for a limited time: one that hangs must not keep the process alive. */
async function stop(app: App, io: CommandIo, timeoutSeconds: number): Promise<number> {
  io.stdout.write('Stopping: finishing the requests that were accepted.\n');
  const timedOut = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => timedOut.resolve('late'), timeoutSeconds * 1000);
  const disposed = app[Symbol.asyncDispose]();
  const outcome = await Promise.race([disposed, timedOut.promise]);
  clearTimeout(timer);
  if (outcome !== 'late') return 0;
  app.abandonRequests();
  await disposed;
  io.stderr.write(`Stopped after ${count(timeoutSeconds, 'second')} with requests still open.\n`);
  return 1;
}

function banner(app: App, { site, api }: Config): string {
  const url = `http://localhost:${app.port}`;
  const { firstProject, setupToken } = app;
  return [
    startReportText(app.report),
    ...changeLines(app.provisioned),
    ...(firstProject === null ? [] : firstSteps(firstProject, url + sitePath(site.root))),
    ...(firstProject === null || !api.prometheusEnabled ? [] : prometheusLines([firstProject], site.root)),
    ...(setupToken === null ? [] : setupLines(site.root, setupToken)),
  ].join('\n');
}

/** Shows the first administrator the link that makes their account. */
function setupLines(root: string, token: string): string[] {
  return [
    '',
    'Nobody administers this service yet. Whoever opens this link within a day becomes its first account:',
    '',
    `  ${linkAddress(root, 'setup', token)}`,
    '',
    'Without a browser: tocsin account create EMAIL --admin',
  ];
}

function firstSteps({ name, keys }: FirstProject, url: string): string[] {
  const isFirst = `This is the first start: there is now a project, "${name}".`;
  if (keys === null) return ['', `${isFirst} Keys are shown on a terminal only: make them on its pages.`];
  const call = `curl -H 'X-Api-Key: ${keys.readWrite}' ${url}/api/v3/checks/`;
  return [
    '',
    `${isFirst} Its keys are shown only this once.`,
    '',
    `  read-write key  ${keys.readWrite}`,
    `  read-only key   ${keys.readOnly}`,
    `  ping key        ${keys.ping}`,
    '',
    'List its checks, create one, and ping it:',
    '',
    `  ${call}`,
    `  ${call} -d '{"name": "Nightly backup", "slug": "nightly-backup", "timeout": 86400}'`,
    `  curl ${url}/ping/${keys.ping}/nightly-backup`,
    '',
  ];
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
