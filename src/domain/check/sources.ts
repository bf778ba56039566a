import type { Instant } from '../../lib/instant.ts';
import type { ActedBy, Means } from '../people/audit.ts';
import { type CheckEdit, editConfig } from './check-edit.ts';
import { type CheckConfig, SETTING_NAMES } from './settings.ts';

/** The parts of a check that know who has set them. */
export const SOURCED_FIELDS = [
  'timing',
  'tz',
  'grace',
  'name',
  'tags',
  'desc',
  'integrations',
  'filters',
  'methods',
  'manual_resume',
  'run_rules',
  'parents',
  'policy',
] as const;

export type SourcedField = (typeof SOURCED_FIELDS)[number];

/** An importer, a job that declares its check, a provisioning file, a client of the API, somebody on a page. */
export const FIELD_WRITERS = ['import', 'job', 'file', 'api', 'person'] as const;

export type FieldWriter = (typeof FIELD_WRITERS)[number];

/** Who has set a field, and when. */
export interface SourceMark {
  readonly by: FieldWriter;
  readonly at: Instant;
  /** The person, the key, or the source of files. */
  readonly name: string;
}

/** Nobody has set an absent field. */
export type Sources = Readonly<Partial<Record<SourcedField, SourceMark>>>;

const FIELD_OF = {
  name: 'name',
  slug: null,
  tags: 'tags',
  description: 'desc',
  kind: 'timing',
  timeoutSeconds: 'timing',
  schedule: 'timing',
  tz: 'tz',
  graceSeconds: 'grace',
  runRules: 'run_rules',
  parents: 'parents',
  doneChannels: 'integrations',
  policy: 'policy',
  manualResume: 'manual_resume',
  methods: 'methods',
  startKeywords: 'filters',
  successKeywords: 'filters',
  failureKeywords: 'filters',
  filterSubject: 'filters',
  filterBody: 'filters',
  filterHttpBody: 'filters',
  filterDefaultFail: 'filters',
  subjectKeywords: 'filters',
  subjectFailureKeywords: 'filters',
} as const satisfies Record<keyof CheckConfig | keyof CheckEdit, SourcedField | null>;

/** The mark of a setting that a person or a client of the API has set. Null if nobody did. */
export function editMark(sources: Sources, setting: keyof CheckConfig): SourceMark | null {
  const field = FIELD_OF[setting];
  return field === null ? null : editMarkOf(sources, field);
}

export function editMarkOf(sources: Sources, field: SourcedField): SourceMark | null {
  const mark = sources[field];
  return mark?.by === 'api' || mark?.by === 'person' ? mark : null;
}

/** The source of the file that has set the field. Null if none did. */
export function fileOf(sources: Sources, field: SourcedField): string | null {
  const mark = sources[field];
  return mark?.by === 'file' ? mark.name : null;
}

/** The settings that a file has set, each with the name of its source. */
export function settingsOfFiles(
  sources: Sources,
): { readonly setting: keyof CheckConfig; readonly source: string }[] {
  return SETTING_NAMES.flatMap((setting) => {
    const field = FIELD_OF[setting];
    const source = field === null ? null : fileOf(sources, field);
    return source === null ? [] : [{ setting, source }];
  });
}

const unique = (fields: readonly (SourcedField | null)[]): SourcedField[] => [
  ...new Set(fields.filter((field) => field !== null)),
];

/** The fields that the edit names, also those that it does not change. */
export function fieldsOf(edit: CheckEdit): SourcedField[] {
  // The type lists all names.
  return unique((Object.keys(edit) as (keyof CheckEdit)[]).map((name) => FIELD_OF[name]));
}

/** The fields that differ. */
export function changedFields(before: CheckConfig, after: CheckConfig): SourcedField[] {
  return unique(SETTING_NAMES.filter((name) => before[name] !== after[name]).map((name) => FIELD_OF[name]));
}

/** A group: the mark, and then the fields that have it. */
type Group = readonly [by: FieldWriter, at: Instant, name: string, ...fields: SourcedField[]];

/** Most fields are set together, so the stored form names each writer once. Null: nobody has set anything. */
function encodeSources(sources: Sources): string | null {
  const groups: Group[] = [];
  // The keys of the type.
  for (const [field, { by, at, name }] of Object.entries(sources) as [SourcedField, SourceMark][]) {
    const index = groups.findIndex((group) => group[0] === by && group[1] === at && group[2] === name);
    const group = groups[index];
    if (group === undefined) groups.push([by, at, name, field]);
    else groups[index] = [...group, field];
  }
  return groups.length === 0 ? null : JSON.stringify(groups);
}

export function decodeSources(stored: string | null): Sources {
  if (stored === null) return {};
  // Only `encodeSources` makes this JSON.
  const groups = JSON.parse(stored) as Group[];
  return Object.fromEntries(
    groups.flatMap(([by, at, name, ...fields]) => fields.map((field) => [field, { by, at, name }])),
  );
}

/** The stored form after somebody has set these fields. Without a mark they stay as they are. */
export function withMark(
  stored: string | null,
  fields: readonly SourcedField[],
  mark: SourceMark | null,
): string | null {
  if (mark === null || fields.length === 0) return stored;
  return encodeSources({
    ...decodeSources(stored),
    ...Object.fromEntries(fields.map((field) => [field, mark])),
  });
}

/** The stored form after nobody has set these fields any more. */
export function withoutMarks(stored: string | null, fields: readonly SourcedField[]): string | null {
  const left = Object.entries(decodeSources(stored)).filter(
    ([field]) => !fields.some((one) => one === field),
  );
  return encodeSources(Object.fromEntries(left));
}

const WRITER_BY: Readonly<Partial<Record<Means, FieldWriter>>> = {
  session: 'person',
  api_key: 'api',
  account_token: 'api',
  file: 'file',
  import: 'import',
  job: 'job',
};

/** The mark of an actor. Null for the program's own work. */
export function markBy({ means, name }: Pick<ActedBy, 'means' | 'name'>, at: Instant): SourceMark | null {
  const by = WRITER_BY[means];
  return by === undefined ? null : { by, at, name };
}

/**
 * The fields that become the writer's. Requests name what they set, also with an equal value. Forms on pages send all
 * settings, so only those count that a person has changed.
 */
export function setFields(mark: SourceMark | null, before: CheckConfig, edit: CheckEdit): SourcedField[] {
  return mark?.by === 'person' ? changedFields(before, editConfig(before, edit)) : fieldsOf(edit);
}

/** Those whose fields the writer leaves alone. */
const KEPT_FROM: Record<FieldWriter, readonly FieldWriter[]> = {
  import: ['job', 'file', 'api', 'person'],
  job: ['file', 'api', 'person'],
  file: [],
  api: [],
  person: [],
};

/** Somebody who sets fields. Files may leave alone what people and clients of the API have set. */
export interface Overwriter {
  readonly by: FieldWriter;
  readonly keepsEdits?: boolean;
}

export function mayOverwrite(
  { by, keepsEdits = false }: Overwriter,
  sources: Sources,
  field: SourcedField,
): boolean {
  const owner = sources[field]?.by;
  if (owner === undefined) return true;
  if (keepsEdits && editMarkOf(sources, field) !== null) return false;
  return !KEPT_FROM[by].includes(owner);
}

/** The part of the edit that the writer may make, and the fields that it would change but may not. */
export function withoutKept(
  check: CheckConfig & { readonly sources: string | null },
  edit: CheckEdit,
  writer: Overwriter,
): { readonly edit: CheckEdit; readonly kept: readonly SourcedField[] } {
  const sources = decodeSources(check.sources);
  const isKept = (field: SourcedField | null) => field !== null && !mayOverwrite(writer, sources, field);
  const kept = changedFields(check, editConfig(check, edit)).filter(isKept);
  // The type lists all names.
  const names = (Object.keys(edit) as (keyof CheckEdit)[]).filter((name) => !isKept(FIELD_OF[name]));
  return { edit: Object.fromEntries(names.map((name) => [name, edit[name]])), kept };
}
