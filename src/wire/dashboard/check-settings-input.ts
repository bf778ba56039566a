import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { AppError } from '../../domain/errors.ts';
import { MAX_EXPRESSION } from '../../domain/schedule/schedule.ts';
import { SLUG_PATTERN } from '../../domain/slug.ts';
import { Fault, type Field, oneOf, text } from '../../lib/fields.ts';
import { CHECK_FIELDS, scheduleFault, toCheckEdit } from '../api/check-fields.ts';
import { LATEST_VERSION } from '../api/version.ts';
import { allOptional, type InputValues, uuidListField } from './input.ts';

const { channels: _channels, unique: _unique, schedule: _schedule, ...PLAIN } = CHECK_FIELDS;

/** An expression. Its fault is a sentence. */
const scheduleField: Field<string> = {
  read(value, name) {
    const read = text({ maxLength: MAX_EXPRESSION }).read(value, name);
    if (read instanceof Fault) return read;
    const tooLong = CHECK_FIELDS.schedule.schema.maxLength;
    if (typeof tooLong === 'number' && [...read].length > tooLong)
      return new Fault(`An expression has at most ${tooLong} characters.`);
    const fault = scheduleFault(read);
    return fault === null ? read : new Fault(fault);
  },
  schema: {},
};

const slugField: Field<string> = {
  read(value, name) {
    if (typeof value === 'string' && !SLUG_PATTERN.test(value))
      return new Fault('Small letters, digits, hyphen and underscore only.');
    return CHECK_FIELDS.slug.read(value, name);
  },
  schema: {},
};

/** The settings in a form. Absent ones stay as they are. */
export const SETTINGS_FIELDS = allOptional({
  ...PLAIN,
  slug: slugField,
  kind: oneOf(['simple', 'cron', 'oncalendar'], 'Kind of schedule'),
  schedule: scheduleField,
  channels: uuidListField,
});

/** The edit of a check by a form. The assignment of channels stays as it is if it is absent. */
export function editOf(input: InputValues<typeof SETTINGS_FIELDS>): {
  readonly edit: CheckEdit;
  readonly channels?: string;
} {
  const { kind, schedule, timeout, channels, tags, ...plain } = input;
  const edit = {
    ...toCheckEdit(
      { ...plain, ...(tags !== undefined && { tags: splitTags(tags).join(' ') }) },
      LATEST_VERSION,
    ),
    ...timing(kind, schedule, timeout),
  };
  return {
    edit: readsNothing(edit)
      ? { ...edit, startKeywords: '', successKeywords: '', failureKeywords: '' }
      : edit,
    ...(channels !== undefined && { channels: channels.join(',') }),
  };
}

function timing(
  kind: 'simple' | 'cron' | 'oncalendar' | undefined,
  expression: string | undefined,
  timeoutSeconds: number | undefined,
): Pick<CheckEdit, 'schedule' | 'timeoutSeconds'> {
  if (kind === undefined) return {};
  if (kind === 'simple') {
    if (timeoutSeconds === undefined) throw missing('timeout');
    return { timeoutSeconds };
  }
  if (expression === undefined) throw missing('schedule');
  return { schedule: { kind, expression } };
}

function missing(field: string): AppError {
  return new AppError('invalid_field', `${field} is missing`, { field });
}

/** Whether the form says that no text is looked at. Keywords would mean nothing. */
function readsNothing({ filterSubject, filterBody, filterHttpBody }: CheckEdit): boolean {
  return filterSubject === false && filterBody === false && filterHttpBody === false;
}
