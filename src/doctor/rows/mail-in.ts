import { networkInterfaces } from 'node:os';
import type { Installation } from '../installation.ts';
import { type Look, ok, skip, warn } from '../look.ts';
import type { Row } from '../row.ts';
import { SmtpDialogue, SmtpFailure } from '../smtp-dialogue.ts';

export const mailIn: Row = {
  name: 'mail_in',
  looksAt: 'the MX record of `PING_EMAIL_DOMAIN`, and whether this service takes mail at its end',
  fails: null,
  warns: 'no MX record, one that leads elsewhere, a closed port, another server that answers',
  async look(installation, signal, doing) {
    const { smtp, site } = installation.config;
    if (smtp === null) return skip('SMTPD_PORT is not set: the service receives no mail.');
    const domain = site.pingEmailDomain;
    doing(`the MX record of ${domain}`);
    const hosts = await installation.world.names.mailHosts(domain).catch((): string[] => []);
    const [host] = hosts;
    if (host === undefined)
      return warn(
        `${domain} has no MX record, so that no mail arrives.`,
        `Publish one: ${domain}. MX 10 ${new URL(site.root).hostname}.`,
      );
    const addresses = await installation.world.names.addresses(host).catch((): string[] => []);
    const [address] = addresses;
    if (address === undefined) return warn(`${host}, the MX of ${domain}, has no address.`);
    return (
      (await leadsElsewhere(installation, host, addresses)) ??
      (await probe(installation, { host, address }, signal, doing))
    );
  },
};

/** Mail arrives at this machine, or at the machine of the site, which may pass it on. */
async function leadsElsewhere(
  { config, world }: Installation,
  host: string,
  addresses: readonly string[],
): Promise<Look | null> {
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => one.address));
  const ofSite = await world.names.addresses(new URL(config.site.root).hostname).catch((): string[] => []);
  if (addresses.some((address) => own.includes(address) || ofSite.includes(address))) return null;
  return warn(
    `${host}, the MX of ${config.site.pingEmailDomain}, is ${addresses.join(', ')}: neither this machine nor SITE_ROOT.`,
    'If a mail server there passes mail on to this service, all is well.',
  );
}

/** Asks for a check that does not exist, and sends nothing. */
async function probe(
  { config, world }: Installation,
  { host, address }: { readonly host: string; readonly address: string },
  signal: AbortSignal,
  doing: (step: string) => void,
): Promise<Look> {
  const domain = config.site.pingEmailDomain;
  const port = world.mailPort;
  try {
    doing(`port ${port} of ${host}`);
    using server = await SmtpDialogue.open({ host, address, port, isSecure: false }, signal);
    const { lines } = await server.reply();
    if (!lines.some((line) => line.startsWith(`220 ${domain} ESMTP`)))
      return warn(
        `Another server answers on port ${port} of ${host}: ${lines.join(' ')}.`,
        'If it passes mail on to this service, all is well.',
      );
    await server.say(`EHLO ${domain}`, [250]);
    await server.say('MAIL FROM:<>', [250]);
    await server.say(`RCPT TO:<${world.random.uuid()}@${domain}>`, [250]);
    await server.quit();
    return ok(`Mail to ${domain} arrives here.`);
  } catch (error) {
    if (!(error instanceof SmtpFailure) || signal.aborted) throw error;
    return warn(
      `Mail to ${domain} does not arrive: ${error.message}.`,
      `Let the world reach port ${port} of ${host}, and lead it to SMTPD_PORT=${config.smtp?.port}.`,
    );
  }
}
