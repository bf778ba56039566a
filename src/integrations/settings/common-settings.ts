import { isDeepStrictEqual } from 'node:util';
import { BUTTON_CHOICES, type ButtonChoice } from '../../domain/alert/button.ts';
import {
  CHANNEL_EVENTS,
  CHANNEL_REPORTS,
  type ChannelEvent,
  type ChannelReport,
  TOLD_EVENTS,
} from '../../domain/alert/channel.ts';
import { MAX_TOGETHER_ABOVE } from '../../domain/alert/together.ts';
import { OUTSIDE_HOURS, type OutsideHours } from '../../domain/policy/recipients.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, integer, oneOf, someOf, text } from '../../lib/fields.ts';
import type { Setting, SettingTable, Source } from '../kind/setting.ts';

/** Settings of every kind. */
export const COMMON_SETTINGS = {
  events: {
    label: 'Tells on',
    field: eventsField(),
    control: 'text',
    default: TOLD_EVENTS,
  } satisfies Setting<readonly ChannelEvent[]>,
};

function eventsField(): Field<readonly ChannelEvent[]> {
  const { read, schema } = someOf(CHANNEL_EVENTS, 'What it is told of.');
  return {
    schema: { ...schema, minItems: 1, uniqueItems: true },
    read(value, name) {
      const events = read(value, name);
      if (events instanceof Fault) return events;
      if (events.length === 0) return new Fault(`${name} is empty`);
      return CHANNEL_EVENTS.filter((event) => events.includes(event));
    },
  };
}

const PLACEHOLDERS =
  'Placeholders such as $NAME, $STATUS, $REASON, $TAGS, $PROJECT, $LAST_PING, $EXITSTATUS, $BODY, $URL, $ACK_URL and $SNOOZE_URL are filled in.';

/** Settings of kinds that take the words of their owner. */
export const WORD_SETTINGS = {
  title: {
    label: 'Title of your own',
    help: `Instead of ours. ${PLACEHOLDERS}`,
    field: text({ maxLength: TEXT_LIMITS.ownTitle }),
    control: 'sentence',
    default: '',
  } satisfies Setting<string>,
  text: {
    label: 'Text of your own',
    help: 'Instead of ours, with the same placeholders.',
    field: text({ maxLength: TEXT_LIMITS.ownText }),
    control: 'lines',
    default: '',
  } satisfies Setting<string>,
};

/** Settings of kinds that have none of their own by this name. */
export const HOURS_SETTINGS = {
  hours: {
    label: 'Hours',
    help: 'The name of a calendar of the project. Outside of these hours it is told of no outage.',
    field: text({ maxLength: TEXT_LIMITS.calendarName }),
    control: 'calendar',
    isAdvanced: true,
    default: '',
  } satisfies Setting<string>,
  outside_hours: {
    label: 'Outside of its hours',
    help: 'The end of an outage that it was told of always waits for its hours.',
    field: oneOf(OUTSIDE_HOURS, 'What becomes of an outage that begins outside of its hours.'),
    control: 'choice',
    isAdvanced: true,
    default: 'hold',
    choices: [
      { value: 'hold', label: 'Wait for them, and tell what is still down' },
      { value: 'drop', label: 'Do not tell of outages that begin' },
    ],
  } satisfies Setting<OutsideHours>,
};

/** Settings of kinds that take messages in any words. */
export const MANY_SETTINGS = {
  together_above: {
    label: 'Many at once: from how many on',
    help: 'So many messages within the time below are sent one by one, and all others as one. 0: each by itself.',
    field: integer({ minimum: 0, maximum: MAX_TOGETHER_ABOVE }),
    control: 'number',
    isAdvanced: true,
    default: 0,
  } satisfies Setting<number>,
  together_seconds: {
    label: 'Many at once: within how many seconds',
    field: integer({ minimum: 10, maximum: 600 }),
    control: 'number',
    isAdvanced: true,
    default: 30,
  } satisfies Setting<number>,
};

/** Settings of kinds that take messages in any words. */
export const REPORT_SETTINGS = {
  report: {
    label: 'Report of the project',
    help: 'What was down and for how long, in the morning of whoever owns the project.',
    field: oneOf(CHANNEL_REPORTS, 'How often the report of the project is sent to it.'),
    control: 'choice',
    isAdvanced: true,
    default: 'off',
    choices: [
      { value: 'off', label: 'None' },
      { value: 'daily', label: 'Every day' },
      { value: 'weekly', label: 'Every Monday' },
    ],
  } satisfies Setting<ChannelReport>,
};

/** Settings of kinds whose messages can have buttons. */
export const BUTTON_SETTINGS = {
  buttons: {
    label: 'Buttons',
    field: oneOf(BUTTON_CHOICES, 'What readers can do at once.'),
    control: 'choice',
    default: 'answer',
  } satisfies Setting<ButtonChoice>,
};

const SHARED: SettingTable = {
  ...COMMON_SETTINGS,
  ...WORD_SETTINGS,
  ...HOURS_SETTINGS,
  ...MANY_SETTINGS,
  ...REPORT_SETTINGS,
  ...BUTTON_SETTINGS,
};

/** Defaults are not stored: older channels do not have them, either. */
export function withoutDefaults(values: Source): Source {
  const isDefault = ([name, value]: [string, unknown]) =>
    Object.hasOwn(SHARED, name) && isDeepStrictEqual(value, SHARED[name]?.default);
  return Object.fromEntries(Object.entries(values).filter((entry) => !isDefault(entry)));
}
