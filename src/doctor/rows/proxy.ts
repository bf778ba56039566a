import { createAddressMatcher } from '../../lib/ip-address.ts';
import type { DoctorAnswer } from '../../wire/api/doctor-answer.ts';
import type { Installation } from '../installation.ts';
import { fail, type Look, ok, skip, warn } from '../look.ts';
import { setForwardedFor } from '../proxy-lines.ts';
import type { Row } from '../row.ts';
import { whoAnswers } from '../service.ts';

/** Of the addresses for documentation (RFC 5737): nobody has it. */
const FORGED = '203.0.113.77';

export const proxy: Row = {
  name: 'proxy',
  looksAt: 'the address that a ping through `SITE_ROOT` is recorded with, and whether a client can forge it',
  fails: 'a forged `X-Forwarded-For` is believed',
  warns: 'all pings seem to come from the proxy',
  async look(installation, signal) {
    const answerer = await whoAnswers(installation, installation.config.site.root, signal, {
      headers: { 'x-forwarded-for': FORGED },
    });
    if (answerer.who !== 'we') return skip('This service does not answer at SITE_ROOT: see the row site.');
    const { answer, asked } = answerer;
    if (answer.peer.port === asked.localPort) return ok('There is no proxy in front of the service.');
    return judge(answer, installation);
  },
};

/**
 * Each proxy adds the address of its client to the end of the header. Ours may be one that is trusted, so that the service goes
 * on to the forged one; that of another client is not. So the header itself is judged, and not the address that was seen.
 */
function judge({ forwarded_for: header, peer }: DoctorAnswer, { config }: Installation): Look {
  const isTrusted = createAddressMatcher(config.http.trustedProxies);
  const entries = (header ?? '').split(',').map((entry) => entry.trim());
  const added = entries.filter((entry) => entry !== '' && entry !== FORGED);
  if (!isTrusted(peer.address))
    return warn(
      `All pings seem to come from the proxy ${peer.address}, which is not trusted.`,
      `Add ${peer.address} to TRUSTED_PROXIES.`,
    );
  if (entries.includes(FORGED) && added.length === 0)
    return fail(
      'The proxy passes on X-Forwarded-For as clients send it, so that anybody can pretend any address.',
      setForwardedFor(),
    );
  const [client, ...proxies] = added;
  if (client === undefined)
    return warn(
      `All pings seem to come from the proxy ${peer.address}: it sends no X-Forwarded-For.`,
      setForwardedFor(),
    );
  const strange = proxies.find((address) => !isTrusted(address));
  if (strange !== undefined)
    return warn(
      `All pings seem to come from the proxy ${strange}, which is not trusted.`,
      `Add ${strange} to TRUSTED_PROXIES.`,
    );
  return ok(`The proxy ${peer.address} tells the addresses of clients, and nobody can forge them.`);
}
