import { isEmailAddress } from '../../domain/people/email-address.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { refined, text } from '../../lib/fields.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { conversationKind } from '../kind/kind.ts';
import { NO_LIMITS } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';

export const addressField = refined(
  text({ maxLength: TEXT_LIMITS.emailAddress }),
  'e-mail address',
  (value) => (isEmailAddress(value) ? value : null),
);

const SETTINGS = {
  email: { label: 'E-mail address', field: addressField, control: 'email' } satisfies Setting<string>,
};

export const email = conversationKind({
  label: 'Email',
  category: 'work',
  summary: 'any address',
  description: 'A mail for each alert. Whoever has the address confirms it first, unless it is your own.',
  setup: [
    'Enter the address that alerts go to. A list or a shared mailbox works as well as a person.',
    'If it is not the address of your account, its owner gets a mail with a link. Nothing else is sent until that person has confirmed it.',
    'Send a test, and look into the spam folder if it does not arrive.',
  ],
  example: { email: 'ops@example.org' },
  settings: SETTINGS,
  server: {},
  sendsMail: true,
  confirmation: { by: 'link', recipient: (settings) => settings.email },
  target: (settings) => settings.email,
  wants: () => true,
  destination: () => 'mail',
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  limits: NO_LIMITS,
  needsBody: true,
  needsStory: true,
  deliver: async (event, settings, ports) =>
    ports.mail(await ports.writeMail(event, settings.email, ports.unsubscribeUrl())),
});
