import type { CheckEdit } from '../domain/check/check-edit.ts';
import { splitTags } from '../domain/check/tags.ts';
import { AppError } from '../domain/errors.ts';
import { MAX_CRONTAB_JOBS } from '../domain/schedule/crontab-limits.ts';
import { MAX_EXPRESSION } from '../domain/schedule/schedule.ts';
import { SLUG_PATTERN } from '../domain/slug.ts';
import { Fault, type Field, type FieldValues, oneOf, readFields, text } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { createChecks, findWithChannels } from '../services/check/checks.ts';
import { lastEdit } from '../services/history/audit-log.ts';
import { savedSettings } from '../views/saved-settings.ts';
import { CHECK_FIELDS, scheduleFault, toCheckEdit } from '../wire/api/check-fields.ts';
import { LATEST_VERSION } from '../wire/api/version.ts';
import { allOptional, type InputValues, optional, uuidListField } from '../wire/dashboard/input.ts';
import { checkAct, projectAct } from './act.ts';

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
const SETTINGS_FIELDS = allOptional({
  ...PLAIN,
  slug: slugField,
  kind: oneOf(['simple', 'cron', 'oncalendar'], 'Kind of schedule'),
  schedule: scheduleField,
  channels: uuidListField,
});

const JOB_FIELDS = { name: PLAIN.name, slug: slugField, schedule: scheduleField, tz: PLAIN.tz };
type CrontabJob = Required<FieldValues<typeof JOB_FIELDS>>;

/** The checks that are made of a crontab. */
const crontabJobsField: Field<CrontabJob[], readonly CrontabJob[]> = {
  read(value, name) {
    if (!Array.isArray(value) || value.length === 0) return new Fault(`${name} has no jobs`);
    if (value.length > MAX_CRONTAB_JOBS) return new Fault(`${name} has more than ${MAX_CRONTAB_JOBS} jobs`);
    const jobs: CrontabJob[] = [];
    for (const [index, given] of value.entries()) {
      const job = readFields(JOB_FIELDS, Object(given));
      if (job instanceof Fault) return new Fault(`Check ${index + 1}: ${job.reason}`);
      const missing = Object.keys(JOB_FIELDS).find((field) => !Object.hasOwn(job, field));
      if (missing !== undefined) return new Fault(`Check ${index + 1}: ${missing} is missing`);
      // No field is missing.
      jobs.push(job as CrontabJob);
    }
    return jobs;
  },
  schema: {},
};

export const createCheck = projectAct({
  permission: 'checks.edit',
  input: SETTINGS_FIELDS,
  run: async ({ checkWriter }, { actor, input }) => {
    const { edit, channels = '*' } = editOf(input);
    const { check } = await checkWriter.perform({
      verb: 'create',
      actor,
      input: { edit, channels, match: null },
    });
    return { uuid: check.uuid };
  },
});

/** Adds a check for each job of a crontab, or none of them. */
export const importCrontab = projectAct({
  permission: 'checks.edit',
  input: { jobs: crontabJobsField },
  run: async (deps, { actor, input }) => {
    const edits = input.jobs.map((job) => editOf({ kind: 'cron', ...job }).edit);
    const created = await createChecks(deps, actor, edits);
    /** In the order of the jobs. */
    return created.map(({ check: { uuid } }) => ({ uuid, pingUrl: deps.site.pingEndpoint + uuid }));
  },
});

export const updateCheck = checkAct({
  permission: 'checks.edit',
  /** `seen` is the version of the settings that the form began with. */
  input: { ...SETTINGS_FIELDS, seen: optional(text({ maxLength: 100 })) },
  run: async (deps, { actor, checkId: id, input: { seen, ...given } }) => {
    const input = { ...editOf(given), ...(seen !== undefined && { seen }), isQuiet: true };
    try {
      return savedSettings(await deps.checkWriter.perform({ verb: 'update', actor, id, input }));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'check_changed')) throw error;
      // The page shows the present settings, and their last editor.
      const found = await findWithChannels(deps, actor, id);
      const subject = found.check.uniqueKey;
      const { head: edit } = await deps.reads.ask(lastEdit, { actor, subject });
      const conflict = {
        ...savedSettings(found),
        by: edit?.actor ?? null,
        at: edit && toIsoSeconds(edit.createdAt),
      };
      throw new AppError(error.code, error.message, { details: { conflict } });
    }
  },
});

/** The edit of a check by a form. The assignment of channels stays as it is if it is absent. */
function editOf(input: InputValues<typeof SETTINGS_FIELDS>): {
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
