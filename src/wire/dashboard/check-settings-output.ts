import type { Check } from '../../domain/check/check.ts';
import type { CheckConfig, ScheduleKind } from '../../domain/check/settings.ts';
import type { Project } from '../../domain/people/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** The settings of a check, as a form has them. */
export interface CheckSettingsJson {
  readonly name: string;
  readonly slug: string;
  /** Separated by spaces. */
  readonly tags: string;
  readonly desc: string;
  readonly kind: ScheduleKind;
  /** Seconds. */
  readonly timeout: number;
  readonly schedule: string;
  readonly tz: string;
  /** Seconds. */
  readonly grace: number;
  readonly manual_resume: boolean;
  readonly methods: '' | 'POST';
  readonly start_kw: string;
  readonly success_kw: string;
  readonly failure_kw: string;
  readonly filter_subject: boolean;
  readonly filter_body: boolean;
  readonly filter_http_body: boolean;
  readonly filter_default_fail: boolean;
  /** UUIDs of the integrations that are told. */
  readonly channels: readonly string[];
}

/** A check that is edited. */
export interface EditedCheckJson {
  readonly uuid: string;
  readonly project: { readonly uuid: string; readonly name: string };
  readonly settings: CheckSettingsJson;
  /** Names these settings. It goes back with the form, so that nobody overwrites what they have not seen. */
  readonly version: string;
}

/** Somebody else has saved other settings meanwhile. */
export interface ConflictJson {
  readonly settings: CheckSettingsJson;
  readonly version: string;
  /** Who saved last, if the log still tells it. */
  readonly by: string | null;
  readonly at: string | null;
}

/** A check that was deleted and can be restored. */
export interface DeletedCheckJson {
  readonly uuid: string;
  readonly name: string;
  readonly tags: string;
  readonly deletes_at: string;
}

/** A project to which a check can be moved or copied. */
export interface TargetProjectJson {
  readonly uuid: string;
  readonly name: string;
  /** Whether the check is in it. */
  readonly is_current: boolean;
  /** Whether its owner has as many checks as they can have. */
  readonly is_full: boolean;
}

export function checkSettingsJson(config: CheckConfig, channelUuids: readonly string[]): CheckSettingsJson {
  return {
    name: config.name,
    slug: config.slug,
    tags: config.tags,
    desc: config.description,
    kind: config.kind,
    timeout: config.timeoutSeconds,
    schedule: config.schedule,
    tz: config.tz,
    grace: config.graceSeconds,
    manual_resume: config.manualResume,
    methods: config.methods,
    start_kw: config.startKeywords,
    success_kw: config.successKeywords,
    failure_kw: config.failureKeywords,
    filter_subject: config.filterSubject,
    filter_body: config.filterBody,
    filter_http_body: config.filterHttpBody,
    filter_default_fail: config.filterDefaultFail,
    channels: channelUuids,
  };
}

export function deletedCheckJson(
  check: Pick<Check, 'uuid' | 'name' | 'slug' | 'tags'> & { deletesAt: number },
) {
  const { uuid, name, slug, tags, deletesAt } = check;
  return { uuid, name: name || slug, tags, deletes_at: toIsoSeconds(deletesAt) } satisfies DeletedCheckJson;
}

export function targetJson(target: {
  readonly project: Pick<Project, 'uuid' | 'name'>;
  readonly isCurrent: boolean;
  readonly isFull: boolean;
}): TargetProjectJson {
  const { project, isCurrent, isFull } = target;
  return { uuid: project.uuid, name: project.name, is_current: isCurrent, is_full: isFull };
}
