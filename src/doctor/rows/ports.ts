import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { listen } from '../../lib/listen.ts';
import type { Installation } from '../installation.ts';
import { fail, type Look, ok, together } from '../look.ts';
import type { Row } from '../row.ts';
import { localHost, localRoot, whoAnswers } from '../service.ts';

const PATIENCE_MS = 3_000;

export const ports: Row = {
  name: 'ports',
  looksAt: 'whether `PORT` and `SMTPD_PORT` are free, or the service has them',
  fails: 'another program has one, or the service may not open it',
  warns: null,
  async look(installation, lookSignal) {
    // A program that says nothing is not ours.
    const signal = AbortSignal.any([lookSignal, AbortSignal.timeout(PATIENCE_MS)]);
    const { listen: http, smtp } = installation.config;
    const looks = await Promise.all([
      lookAt('PORT', http, () => isOurService(installation, signal)),
      ...(smtp === null ? [] : [lookAt('SMTPD_PORT', smtp, () => isOurMail(installation, signal))]),
    ]);
    const troubles = looks.filter(({ verdict }) => verdict !== 'ok');
    return together(troubles, looks.map(({ sentence }) => sentence).join(' '));
  },
};

async function lookAt(
  setting: string,
  { host, port }: { readonly host: string | null; readonly port: number },
  isOurs: () => Promise<boolean>,
): Promise<Look> {
  if (port === 0) return ok(`${setting} is any free port.`);
  const refusal = await tryToListen(host, port);
  if (refusal === null) return ok(`Port ${port} is free.`);
  if (refusal === 'EADDRINUSE') {
    if (await isOurs()) return ok(`The service has port ${port}.`);
    return fail(
      `Another program has port ${port}.`,
      `Find it by ss -ltnp 'sport = :${port}' and stop it, or set ${setting} to another one.`,
    );
  }
  if (refusal === 'EACCES')
    return fail(
      `This user may not open port ${port}.`,
      `Set ${setting} to 1024 or more, or allow it (AmbientCapabilities=CAP_NET_BIND_SERVICE).`,
    );
  return fail(
    `Port ${port} of ${host ?? 'this machine'} cannot be opened: ${refusal}.`,
    'Look at HOST and SMTPD_HOST.',
  );
}

/** Null if it is free. It is closed again at once. */
async function tryToListen(host: string | null, port: number): Promise<string | null> {
  const server = createServer();
  try {
    await listen(server, { host, port });
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

async function isOurService(installation: Installation, signal: AbortSignal): Promise<boolean> {
  const root = localRoot(installation);
  if (root === null) return false;
  const { who } = await whoAnswers(installation, root, signal);
  return who === 'we' || who === 'starting';
}

/** The greeting of our server names the domain of pings. */
async function isOurMail({ config }: Installation, signal: AbortSignal): Promise<boolean> {
  const { smtp, site } = config;
  if (smtp === null) return false;
  const socket = connect({ host: localHost(smtp.host), port: smtp.port, signal });
  try {
    const [greeting] = await once(socket, 'data', { signal });
    return String(greeting).startsWith(`220 ${site.pingEmailDomain} ESMTP`);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
