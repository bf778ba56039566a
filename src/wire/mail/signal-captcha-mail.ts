import type { MailText } from '../../lib/mail-document/document.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { MessageSite } from '../site.ts';
import { facts, link, noticeMail, paragraphs } from './notice.ts';

export interface SignalCaptchaNotice {
  readonly challenge: string;
  readonly site: MessageSite;
}

/** https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc, command submitRateLimitChallenge */
const CAPTCHA_PAGE = 'https://signalcaptchas.org/challenge/generate.html';

/** The mail to administrators when Signal takes no more messages until a captcha is solved. */
export function signalCaptchaMail({ challenge, site }: SignalCaptchaNotice): MailText {
  const token = oneLine(challenge);
  return noticeMail({
    siteName: site.name,
    subject: 'Signal asks for a captcha',
    lead: 'Signal takes no more messages until somebody has solved a captcha.',
    blocks: [
      paragraphs(
        'Open the page of Signal below and solve the captcha. Copy the address of its link "Open Signal", which begins with signalcaptcha://.',
        `Then run this command where ${oneLine(site.name)} runs, with what you have copied in place of CAPTCHA:`,
      ),
      facts({ label: 'Command', value: `tocsin signal-captcha ${token} CAPTCHA` }),
      link(CAPTCHA_PAGE, 'Solve the captcha'),
    ],
  });
}
