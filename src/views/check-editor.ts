/** Helps to fill in the form of a check. */
import { scheduleWords } from '../domain/check/schedule-words.ts';
import { decodeSources, fileOf, type Sources, settingsOfFiles } from '../domain/check/sources.ts';
import type { Calendar } from '../domain/policy/calendar.ts';
import { editPolicyRules, type PolicyRulesEdit, RULE_SCHEMAS, readRules } from '../domain/policy/rules.ts';
import { type LineMeaning, readCrontab } from '../domain/schedule/crontab.ts';
import { jobName, numbered } from '../domain/schedule/crontab-command.ts';
import { MAX_CRONTAB } from '../domain/schedule/crontab-limits.ts';
import { MAX_PASTED } from '../domain/schedule/pasted.ts';
import type { FoundSchedule } from '../domain/schedule/plain-words.ts';
import { acceptedTimezone } from '../domain/schedule/timezone.ts';
import { TIMEZONE_NAMES } from '../domain/schedule/timezone-names.ts';
import { slugOf } from '../domain/slug.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { takesAnyWords } from '../integrations/registry.ts';
import {
  Fault,
  type Field,
  type FieldValues,
  flag,
  integer,
  objectSchema,
  oneOf,
  readExactly,
  refined,
  text,
} from '../lib/fields.ts';
import { seconds as micros, toIsoSeconds } from '../lib/instant.ts';
import { listChannels } from '../services/alert/channels.ts';
import {
  editorChoices as choicesOf,
  previewDraft,
  slugOwner,
  tryFilter,
} from '../services/check/check-editor.ts';
import { findCheck, findWithChannels } from '../services/check/checks.ts';
import type { Actor } from '../services/core/actor.ts';
import { type DraftTelling, foretellDraft } from '../services/history/draft-telling.ts';
import { readProject } from '../services/project/projects.ts';
import { CALENDAR_FIELDS } from '../wire/api/calendar-input.ts';
import { CHECK_FIELDS, fieldName } from '../wire/api/check-fields.ts';
import { NEW_SETTINGS } from '../wire/dashboard/check-settings-output.ts';
import { optional, uuidField, uuidListField } from '../wire/dashboard/input.ts';
import { channelJson } from './board-json.ts';
import { MAX_TRIED_TEXT } from './limits.ts';
import { savedSettings } from './saved-settings.ts';
import { checkView, projectView, type ViewDeps } from './view.ts';

/** Starting points for a new check. */
const TEMPLATES = [
  { id: 'nightly', kind: 'cron', timeout: 86_400, schedule: '0 3 * * *', grace: 1_800 },
  { id: 'minutes', kind: 'simple', timeout: 300, schedule: '*/5 * * * *', grace: 180 },
  { id: 'timer', kind: 'oncalendar', timeout: 86_400, schedule: '*-*-* 03:00:00', grace: 1_800 },
  { id: 'github', kind: 'cron', timeout: 3_600, schedule: '0 * * * *', grace: 1_200 },
] as const;

export const editorChoices = projectView({
  permission: 'checks.edit',
  read: async (deps, { actor }) => {
    const { tags, zones, room, checks } = await choicesOf(deps, actor);
    return {
      newSettings: NEW_SETTINGS,
      templates: TEMPLATES,
      /** The integrations that can be told. */
      channels: (await listChannels(deps, actor)).map((channel) => ({
        ...channelJson(channel),
        /** Whether it can be told of each success. */
        takesAnyWords: takesAnyWords(channel),
      })),
      /** The checks of the project, which others may depend on. */
      checks: checks.map(({ uniqueKey, name, slug }) => ({ key: uniqueKey, name: name || slug })),
      tags,
      /** Zones of the project, the most used first. */
      usedZones: zones,
      zones: TIMEZONE_NAMES,
      limits: {
        name: TEXT_LIMITS.checkName,
        slug: TEXT_LIMITS.checkSlug,
        tags: TEXT_LIMITS.checkTags,
        keywords: TEXT_LIMITS.checkKeywords,
      },
      /** The number of checks that the owner of the project has, and may have. */
      room: { used: room.used, limit: room.limit },
    };
  },
});

export const editedCheck = checkView({
  permission: 'checks.edit',
  read: async (deps, { actor, checkId }) => {
    const { uuid, name } = await readProject(deps, actor);
    const found = await findWithChannels(deps, actor, checkId);
    return {
      uuid: found.check.uuid,
      key: found.check.uniqueKey,
      project: { uuid, name },
      ...savedSettings(found),
      /** Settings that a file has set, each with the source of the file. */
      fromFiles: fromFiles(decodeSources(found.check.sources)),
    };
  },
});

function fromFiles(sources: Sources) {
  const source = fileOf(sources, 'integrations');
  return [
    ...settingsOfFiles(sources).map(({ setting, source }) => ({ name: fieldName(setting), source })),
    ...(source === null ? [] : [{ name: 'channels' as const, source }]),
  ];
}

const zoneField = refined(text({ maxLength: 100 }), 'timezone', acceptedTimezone);

/** The check that is edited. Absent for a new one. */
const editedUuid = optional(uuidField);

/** A schedule that somebody writes. It may be wrong. */
const DRAFT = {
  kind: oneOf(['simple', 'cron', 'oncalendar'], 'Kind of schedule'),
  timeout: integer({ minimum: 1, maximum: 1e9 }),
  schedule: text({ maxLength: MAX_PASTED }),
  tz: zoneField,
  grace: integer({ minimum: 1, maximum: 1e9 }),
  zone: zoneField,
  editedUuid,
};

/** The meaning of a schedule. For an existing check also its effect now, and whether it fits its pings. */
export const scheduleMeaning = projectView({
  permission: 'checks.edit',
  input: DRAFT,
  read: async (deps, { actor, input }) => {
    const { timeout: timeoutSeconds, grace: graceSeconds, editedUuid, ...written } = input;
    const checkId = await editedId(deps, actor, editedUuid);
    const asked = { ...written, timeoutSeconds, graceSeconds, checkId };
    const { found, preview: meant, effect, fit } = await previewDraft(deps, actor, asked);
    const runs = 'fault' in meant ? null : meant;
    return {
      /** Null if it is refused. */
      words: runs && runs.words,
      parts: meant.parts,
      fault: 'fault' in meant ? meant.fault : null,
      found: found && foundSchedule(found),
      runs: runs?.runs.map((at) => toIsoSeconds(at)) ?? [],
      weekFrom: toIsoSeconds(runs?.weekFrom),
      /** Hours with a run, counted from `weekFrom`. */
      week: runs?.week ?? [],
      /** If the coming week tells nothing: runs of the coming year, at least one of each day with a run. */
      year: runs?.year.map((at) => toIsoSeconds(at)) ?? [],
      clockChanges: runs?.changes.map(({ zone, at, shift }) => ({ zone, at: toIsoSeconds(at), shift })) ?? [],
      /** The first run after them that the reader's clock shows at another time. */
      shifted: toIsoSeconds(runs?.shifted),
      effect: effect && {
        goesDown: effect.goesDown,
        lastPing: toIsoSeconds(effect.lastPingAt),
        due: toIsoSeconds(effect.dueAt),
        down: toIsoSeconds(effect.downAt),
      },
      fit: fit && {
        ...{ runs: fit.runs, least: fit.least, most: fit.most, enough: fit.enough },
        ...{ isWithinGrace: fit.isWithinGrace, hoursOff: fit.hoursOff },
      },
    };
  },
});

/** The rules of a policy. */
const rulesField: Field<PolicyRulesEdit> = {
  read: (value, name) =>
    typeof value === 'object' && value !== null
      ? readRules({ ...value })
      : new Fault(`${name} is not an object`),
  schema: RULE_SCHEMAS,
};

const HOURS = {
  schedule: CALENDAR_FIELDS.schedule,
  tz: CALENDAR_FIELDS.tz,
  duration: CALENDAR_FIELDS.duration,
};

/** Hours that have no name yet. */
const hoursField: Field<Calendar, Required<FieldValues<typeof HOURS>>> = {
  read: (value, name) => {
    const read = readExactly(HOURS, value, name);
    if (read instanceof Fault) return read;
    const { schedule, tz = 'UTC', duration } = read;
    if (schedule === undefined || duration === undefined)
      return new Fault(`${name} has no schedule or no duration`);
    return { schedule, tz, duration: micros(duration), exceptDates: [] };
  },
  schema: objectSchema(HOURS, []),
};

/** Messages that a sentence can tell. */
const MAX_TOLD_GROUPS = 4;

/** What the settings mean if the next run does not come: when the check goes down, and who is told when. */
export const tellingMeaning = projectView({
  permission: 'checks.edit',
  input: {
    kind: DRAFT.kind,
    timeout: DRAFT.timeout,
    schedule: DRAFT.schedule,
    tz: DRAFT.tz,
    grace: DRAFT.grace,
    run_rules: CHECK_FIELDS.run_rules,
    tags: CHECK_FIELDS.tags,
    channels: uuidListField,
    policy: CHECK_FIELDS.policy,
    /** The rules of a choice that the project may not have yet. */
    rules: optional(rulesField),
    hours: optional(hoursField),
    editedUuid,
  },
  read: async (deps, { actor, input }) => {
    const { kind, timeout, schedule, tz, grace, run_rules: runRules, tags, channels, policy } = input;
    const timing =
      kind === 'simple' ? { timeoutSeconds: timeout } : { schedule: { kind, expression: schedule } };
    const found = await foretellDraft(deps, actor, {
      checkId: await editedId(deps, actor, input.editedUuid),
      edit: { ...timing, tz, graceSeconds: grace, tags, policy, runRules },
      assigned: channels,
      rules: input.rules === undefined ? null : editPolicyRules('{}', input.rules),
      hours: input.hours ?? null,
    });
    return found && tellingJson(found);
  },
});

/** The beginnings of messages, put together by their time. Of repeats only the first is told. */
function tellingJson({ downAt, why, channels }: DraftTelling) {
  const names = new Map(channels.map((channel) => [channel.id, channelJson(channel)]));
  const firstRepeat = why.messages.find(({ event }) => event === 'again')?.at;
  const shown = why.messages.filter(({ event, at }) => event !== 'again' || at === firstRepeat);
  const groups = [...Map.groupBy(shown, ({ at, event }) => `${at} ${event}`).values()];
  const [withheld] = why.withheld.filter(({ recipient }) => recipient.isAssigned);
  return {
    down: toIsoSeconds(downAt),
    told: groups.slice(0, MAX_TOLD_GROUPS).map((group) => ({
      at: toIsoSeconds(group[0]?.at ?? downAt),
      event: group[0]?.event ?? 'first',
      channels: group.flatMap(({ recipient }) => {
        const channel = names.get(recipient.id);
        return channel === undefined ? [] : [{ name: channel.name, label: channel.label }];
      }),
    })),
    /** Why nobody is told, and until when. Null if somebody is, or if no integration is assigned. */
    nobody:
      shown.length > 0 || withheld === undefined
        ? null
        : { because: withheld.because, until: toIsoSeconds(withheld.until) },
  };
}

async function editedId(deps: Pick<ViewDeps, 'store'>, actor: Actor, uuid: string | undefined) {
  return uuid === undefined ? null : (await findCheck(deps, actor, { uuid })).id;
}

/** A schedule found in a pasted or written text, in words too. */
function foundSchedule(found: FoundSchedule & { readonly words: string }) {
  const { kind, expression: schedule, timeoutSeconds: timeout, tz, command, source, words } = found;
  return { kind, schedule, timeout, tz, command, source, words };
}

/** Every line of a crontab, with its meaning and, for a job, a suggested name. */
export const crontabLines = projectView({
  permission: 'checks.edit',
  input: {
    text: text({ maxLength: MAX_CRONTAB }),
    /** Absent: the text decides. */
    hasUsers: optional(flag('Whether a user stands before each command, as in /etc/crontab.')),
  },
  read: async ({ site: { pingEndpoint } }, { input }) => {
    const { hasUsers, lines } = readCrontab(input.text, { hasUsers: input.hasUsers ?? null, pingEndpoint });
    const commands = lines.flatMap(({ meaning }) => (meaning.is === 'job' ? [meaning.command] : []));
    const names = numbered(commands.map(jobName)).values();
    const shownMeaning = (meaning: LineMeaning) =>
      meaning.is === 'job'
        ? {
            ...meaning,
            words: scheduleWords({ kind: 'cron', schedule: meaning.expression, timeoutSeconds: 0 }),
            name: names.next().value ?? '',
          }
        : meaning;
    return {
      hasUsers,
      lines: lines.map(({ meaning, ...line }) => ({ ...line, meaning: shownMeaning(meaning) })),
    };
  },
});

/** The slug of a name, and who has a slug already. An existing check may keep its own. */
export const slugAdvice = projectView({
  permission: 'checks.edit',
  input: {
    name: text({ maxLength: 2 * TEXT_LIMITS.checkName }),
    /** Empty unless somebody has chosen one. */
    slug: text({ maxLength: TEXT_LIMITS.checkSlug }),
    editedUuid,
  },
  read: async (deps, { actor, input }) => {
    const suggestion = slugOf(input.name);
    const checkId = await editedId(deps, actor, input.editedUuid);
    return { suggestion, takenBy: await slugOwner(deps, actor, input.slug || suggestion, checkId) };
  },
});

const MAX_EXCERPT = 300;

/** The effect of keywords on the last pings, and on a text. */
export const filterTrial = checkView({
  permission: 'checks.edit',
  input: {
    startKeywords: CHECK_FIELDS.start_kw,
    successKeywords: CHECK_FIELDS.success_kw,
    failureKeywords: CHECK_FIELDS.failure_kw,
    filterDefaultFail: CHECK_FIELDS.filter_default_fail,
    /** Empty: the keywords are tried on pings alone. */
    text: text({ maxLength: MAX_TRIED_TEXT }),
  },
  read: async (deps, { actor, checkId, input: { text: typed, ...keywords } }) => {
    const tried = await tryFilter(deps, actor, checkId, keywords, typed || null);
    return {
      pings: tried.pings.map(({ ping, body, explanation }) => ({
        n: ping.n,
        at: toIsoSeconds(ping.createdAt),
        /** The beginning of its body. Null if it is kept elsewhere. */
        excerpt: body === null ? null : body.slice(0, MAX_EXCERPT),
        signal: explanation?.signal ?? null,
        keyword: explanation?.keyword ?? null,
      })),
      /** The meaning of the text that was sent along. */
      text: tried.text && { signal: tried.text.signal, keyword: tried.text.keyword },
    };
  },
});
