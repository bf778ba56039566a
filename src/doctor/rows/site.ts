import type { Asked, NoAnswer } from '../asking.ts';
import type { Installation } from '../installation.ts';
import { fail, type Look, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';
import { type Answerer, localRoot, whoAnswers } from '../service.ts';

const MIN_CERTIFICATE_DAYS = 14;
const DAY_MS = 86_400_000;
/** A proxy says that nobody is behind it. */
const FROM_PROXIES = [502, 503, 504];

export const site: Row = {
  name: 'site',
  looksAt: 'who answers at `SITE_ROOT`: this service, by https, with a certificate for 14 days',
  fails: 'nobody, something else or another installation answers there; a certificate that is not accepted',
  warns: 'redirects, http, a certificate that ends soon',
  async look(installation, signal) {
    const { root } = installation.config.site;
    const answerer = await whoAnswers(installation, root, signal);
    if (answerer.who === 'we') return lookAtOurs(installation, answerer);
    if (answerer.who === 'starting') return skip('The service is starting: ask again when it has.');
    if ((await installation.vault()) === null)
      return skip('There is no secret key yet, by which the service would know us: start it once.');
    if (!(await isRunning(installation, signal)) && isNobody(answerer))
      return skip('The service does not run: start it, and ask again.');
    if (answerer.who === 'nobody') return unanswered(root, answerer.reason);
    if (answerer.who === 'another')
      return fail(
        `Another installation answers there: the Tocsin at ${root} has another secret key.`,
        'Let the name lead to this machine, or set SITE_ROOT to the address of this service. Several nodes need the same SECRET_KEY.',
      );
    return somethingElse(root, answerer.asked);
  },
};

function lookAtOurs({ config, world }: Installation, { answer, asked }: Answerer & { who: 'we' }): Look {
  const { root } = config.site;
  const days =
    asked.certificateUntil === null
      ? null
      : Math.floor((asked.certificateUntil.getTime() - world.clock.now() / 1000) / DAY_MS);
  return together(
    [
      answer.root === root
        ? null
        : fail(
            `The running service has SITE_ROOT=${answer.root}, and here it is ${root}.`,
            'Start the service again, or run tocsin doctor with its environment.',
          ),
      root.startsWith('https:')
        ? null
        : warn(
            'SITE_ROOT is http: keys and pings can be read on their way.',
            'Let a proxy in front of the service do TLS, and set SITE_ROOT to its https address.',
          ),
      days !== null && days < MIN_CERTIFICATE_DAYS
        ? warn(`The certificate ends in ${days} days.`, 'Renew it.')
        : null,
    ],
    `This service answers at ${root}${days === null ? '' : `, with a certificate for ${days} days`}.`,
  );
}

function unanswered(root: string, { message, isCertificate }: NoAnswer): Look {
  if (isCertificate)
    return fail(
      `The certificate of ${root} is not accepted: ${message}.`,
      'Get one for this name. If your own authority has made it, name its file in NODE_EXTRA_CA_CERTS.',
    );
  return fail(
    `Nobody answers at ${root}: ${message}.`,
    'Look at SITE_ROOT, at the name in DNS, at the proxy and at the firewall.',
  );
}

function somethingElse(root: string, { status, headers }: Asked): Look {
  if (status >= 300 && status < 400)
    return warn(
      `${root} redirects to ${headers.location ?? 'elsewhere'}: pings lose their bodies on the way.`,
      'Set SITE_ROOT to the address at the end.',
    );
  if (FROM_PROXIES.includes(status))
    return fail(
      `The proxy at ${root} answers ${status}: it does not reach the service.`,
      'Look at its target.',
    );
  const path = new URL(root).pathname;
  return fail(
    `Something else answers at ${root}, with status ${status}.`,
    path === '/'
      ? 'Let the name and the proxy lead to this service.'
      : `Let the name and the proxy lead to this service, and let the proxy keep ${path} in the path.`,
  );
}

function isNobody(answerer: Answerer): boolean {
  return (
    answerer.who === 'nobody' ||
    (answerer.who === 'something' && FROM_PROXIES.includes(answerer.asked.status))
  );
}

async function isRunning(installation: Installation, signal: AbortSignal): Promise<boolean> {
  const root = localRoot(installation);
  return root !== null && (await whoAnswers(installation, root, signal)).who !== 'nobody';
}
