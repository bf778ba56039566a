import type { Config } from '../../config/read-config.ts';
import { createMailSender, domainOf, greetingName } from '../../lib/mail-sender.ts';
import { testMail } from '../../wire/mail/test-mail.ts';
import { clientNames, type Installation } from '../installation.ts';
import { fail, type Look, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';
import { SmtpDialogue, SmtpFailure } from '../smtp-dialogue.ts';

type MailServer = NonNullable<Config['mail']>;

export const mailOut: Row = {
  name: 'mail_out',
  looksAt:
    'the mail server of `EMAIL_HOST` up to sender and recipient, and the SPF record of the sender’s domain; with `--send-to` it sends a mail',
  fails: 'the server cannot be reached, or refuses TLS, the user, the sender or the recipient',
  warns: 'no SPF record',
  async look(installation, signal, doing) {
    const { mail } = installation.config;
    if (mail === null) return skip('EMAIL_HOST is not set: the service sends no mail.');
    try {
      await talk(installation, mail, signal, doing);
    } catch (error) {
      if (!(error instanceof SmtpFailure) || signal.aborted) throw error;
      return fail(`${mail.host}: ${error.message}.`, 'Look at the settings that begin with EMAIL_.');
    }
    doing('the SPF record of the sender');
    const { sendTo } = installation.world;
    return together(
      [await spfTrouble(installation, domainOf(mail.from)), await sendTrouble(installation, mail)],
      sendTo === null
        ? `${mail.host} would take mail from ${mail.from}.`
        : `${mail.host} has taken a mail to ${sendTo}.`,
    );
  },
};

/** Up to the recipient, and not further. */
async function talk(
  installation: Installation,
  mail: MailServer,
  signal: AbortSignal,
  doing: (step: string) => void,
): Promise<void> {
  const { host, port, isSecure, requiresTls, user, password } = mail;
  doing(`the name ${host}`);
  const [address] = await installation.world.names.addresses(host).catch((): string[] => []);
  if (address === undefined) throw new SmtpFailure('the name has no address');
  doing(`a connection to port ${port}`);
  using server = await SmtpDialogue.open({ host, address, port, isSecure }, signal);
  const { code, lines } = await server.reply();
  if (code !== 220) throw new SmtpFailure(`it greets with ${lines.join(' ')}`);
  const hello = `EHLO ${greetingName([...clientNames(installation.config), domainOf(mail.from)])}`;
  doing(hello);
  await server.say(hello, [250]);
  if (requiresTls && !isSecure) {
    doing('STARTTLS');
    await server.say('STARTTLS', [220]);
    await server.startTls();
    await server.say(hello, [250]);
  }
  if (user !== null) {
    doing('the sign-in');
    const login = Buffer.from(`\0${user}\0${password ?? ''}`).toString('base64');
    await server.say(`AUTH PLAIN ${login}`, [235], 'the sign-in');
  }
  const sender = addressOf(mail.from);
  doing(`MAIL FROM:<${sender}>`);
  await server.say(`MAIL FROM:<${sender}>`, [250]);
  const recipient = installation.world.sendTo ?? sender;
  doing(`RCPT TO:<${recipient}>`);
  await server.say(`RCPT TO:<${recipient}>`, [250, 251]);
  doing('QUIT');
  await server.quit();
}

async function spfTrouble({ world }: Installation, domain: string): Promise<Look | null> {
  if (!domain.includes('.'))
    return warn(
      `The sender’s domain is ${domain}, which no other server accepts.`,
      'Set DEFAULT_FROM_EMAIL to an address of your domain.',
    );
  const texts = await world.names.texts(domain).catch(() => null);
  if (texts === null) return warn(`The records of ${domain} could not be read.`, 'Look at the name server.');
  if (texts.some((text) => /^v=spf1(\s|$)/i.test(text))) return null;
  return warn(
    `${domain} has no SPF record: mail of its senders is often taken for spam.`,
    `Publish one that allows EMAIL_HOST, such as ${domain}. TXT "v=spf1 mx -all".`,
  );
}

async function sendTrouble({ config, world }: Installation, mail: MailServer): Promise<Look | null> {
  if (world.sendTo === null) return null;
  await using sender = createMailSender({ ...mail, clientNames: clientNames(config) });
  const error = await sender.send({
    ...testMail(config.site.name),
    to: world.sendTo,
    headers: {},
    attachments: [],
  });
  return error === null ? null : fail(`${error}.`);
}

/** The bare address of a sender that may be written with a name before it. */
function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
}
