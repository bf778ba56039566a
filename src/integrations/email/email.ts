import { isEmailAddress } from '../../domain/email-address.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, flag, refined, text } from '../../lib/fields.ts';
import { conversationKind } from '../kind.ts';
import type { Setting } from '../setting.ts';

export const addressField = refined(
  text({ maxLength: TEXT_LIMITS.emailAddress }),
  'e-mail address',
  (value) => (isEmailAddress(value) ? value : null),
);

const SETTINGS = {
  email: { label: 'E-mail address', field: addressField, control: 'email' } satisfies Setting<string>,
  down: directionSetting('Tell when a check goes down'),
  up: directionSetting('Tell when a check comes up'),
};

function directionSetting(label: string): Setting<boolean> {
  return { label, field: flag(`${label}.`), control: 'flag', default: true };
}

export const email = conversationKind({
  label: 'Email',
  settings: SETTINGS,
  server: {},
  faultOf: ({ down, up }) => (down || up ? null : new Fault('down and up are both off')),
  // Older versions stored the address under another name.
  upgrade: ({ address, ...others }) => (address === undefined ? others : { email: address, ...others }),
  recipient: (settings) => settings.email,
  wants: (settings, to) => settings[to],
  destination: () => 'mail',
  needsBody: true,
  needsStory: true,
  deliver: async (event, settings, ports) =>
    ports.mail(await ports.writeMail(event, settings.email, ports.unsubscribeUrl())),
});
