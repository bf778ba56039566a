import { Fault, type Field, text } from '../../lib/fields.ts';
import { conversationKind } from '../kind/kind.ts';
import { NO_LIMITS } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';

const MAX_MEMBERS = 100;
/** The limit for a name; a UUID is shorter. */
const MAX_MEMBER_LENGTH = 100;

const SETTINGS = {
  channels: {
    label: 'Integrations',
    help: 'All of them are told. A file may give their names, anybody else gives their UUIDs.',
    field: membersField(),
    control: 'channels',
  } satisfies Setting<readonly string[]>,
};

/** Several channels under one name. Each member gets the messages for the group, as if it were assigned itself. */
export const group = conversationKind({
  label: 'Group',
  category: 'work',
  summary: 'several at once',
  description: 'Tells several integrations at once. Each of them delivers for itself.',
  setup: [
    'Set up the integrations that belong together.',
    'Add a group, and choose them. Groups cannot contain groups.',
    'Give the group to your checks instead of the single integrations. A later change of its members counts for all of these checks.',
  ],
  example: { channels: ['5b1e7a52-2f0a-4b8e-9d0c-1f2a3b4c5d6e'] },
  settings: SETTINGS,
  server: {},
  // An existing group may be empty, because its last member was deleted.
  faultOfNew: ({ channels }) => (channels.length === 0 ? new Fault('channels is empty') : null),
  target: ({ channels }) => (channels.length === 1 ? '1 integration' : `${channels.length} integrations`),
  wants: () => true,
  destination: () => '',
  limits: NO_LIMITS,
  needsBody: false,
  deliver: async (_event, { channels }) => ({ kind: 'passed_on', channels }),
});

/** Only the project knows which members exist and whether they are groups. */
function membersField(): Field<readonly string[]> {
  const item = text({ maxLength: MAX_MEMBER_LENGTH });
  return {
    schema: { type: 'array', items: item.schema, minItems: 1, maxItems: MAX_MEMBERS },
    read(value, name) {
      if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
      if (value.length > MAX_MEMBERS) return new Fault(`${name} has too many items`);
      const members = value.map((member) => item.read(member, `an item in '${name}'`));
      return members.find((member) => member instanceof Fault) ?? (members as string[]);
    },
  };
}
