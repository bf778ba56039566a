import type { Check } from '../../domain/check/check.ts';
import { type CheckConfig, DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import type { Project } from '../../domain/people/project.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { type NamedSettings, namedSettings } from '../api/check-fields.ts';

/** The settings of a check, as a form has them. */
export interface CheckSettingsJson extends Readonly<NamedSettings> {
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

export function checkSettingsJson(config: CheckConfig, channels: readonly string[]): CheckSettingsJson {
  return { ...namedSettings(config), channels };
}

/** What the form of a new check begins with. */
export const NEW_SETTINGS: CheckSettingsJson = {
  ...checkSettingsJson(DEFAULT_CONFIG, []),
  schedule: '0 3 * * *',
};

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
