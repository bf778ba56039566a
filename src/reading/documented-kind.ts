import type { Category } from '../integrations/kind/kind.ts';
import {
  buttonDisplay,
  type ChannelKind,
  kindOf,
  type Preview,
  SAMPLE_NAME,
} from '../integrations/registry.ts';
import type { EnvSetting } from '../lib/env-setting.ts';
import type { DocumentedKind } from '../wire/docs/kind-pages.ts';

const GROUPS: Readonly<Record<Category, string>> = {
  chat: 'Chat',
  on_call: 'On-call',
  phone: 'Phone and push',
  work: 'Mail and work',
  automation: 'Automation',
};

/** A kind as the registry describes it, with a message of it. */
export function documentedKind(kind: ChannelKind, sample: Preview): DocumentedKind {
  const code = kindOf(kind);
  if (code === null) throw new Error(`unreachable: ${kind} is in the list`);
  const { label, category, summary, description, setup, example, requires = [], sendsMail = false } = code;
  const server = Object.entries<EnvSetting>(code.server).map(([name, { doc }]) => ({
    name,
    meaning: doc,
    isRequired: requires.includes(name),
  }));
  return {
    ...{ kind, label, summary, description, setup, example },
    sample: { ...sample, about: SAMPLE_NAME },
    group: GROUPS[category],
    buttons: buttonDisplay(kind)?.says ?? null,
    connectedBy: code.connection?.requires ?? [],
    settings: Object.entries(code.settings).map(([name, setting]) => ({
      name,
      label: setting.label,
      help: setting.help ?? '',
      isRequired: setting.default === undefined,
      isSecret: setting.secret ?? false,
      isConnectedOnly: setting.connectedOnly ?? false,
      choices: (setting.choices ?? []).map((choice) => choice.label),
    })),
    server: sendsMail
      ? [
          { name: 'EMAIL_HOST', meaning: 'Host of the mail server that sends for us.', isRequired: true },
          ...server,
        ]
      : server,
  };
}
