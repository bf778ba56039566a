import type { Instant, Micros } from '../../lib/instant.ts';

/** The types of columns, and of the values that every reader makes of them. An unreadable value counts as none. */
interface Values {
  readonly integer: number | null;
  /** No text is an empty one. */
  readonly text: string;
  readonly flag: boolean;
  /** In small letters, with hyphens. */
  readonly uuid: string | null;
  readonly time: Instant | null;
  readonly duration: Micros | null;
  /** No bytes are an empty array. */
  readonly bytes: Uint8Array;
}

export type ColumnType = keyof Values;

/** The columns that are read. Some versions do not have those with a question mark. */
export const TABLES = {
  auth_user: {
    id: 'integer',
    username: 'text',
    password: 'text',
    email: 'text',
    first_name: 'text',
    last_name: 'text',
    is_active: 'flag',
    is_superuser: 'flag',
    date_joined: 'time',
  },
  accounts_profile: {
    user_id: 'integer',
    tz: 'text',
    theme: 'text',
    reports: 'text',
    nag_period: 'duration',
    check_limit: 'integer',
    ping_log_limit: 'integer',
    totp: 'text',
  },
  accounts_credential: { user_id: 'integer', name: 'text', created: 'time', data: 'bytes' },
  accounts_project: {
    id: 'integer',
    code: 'uuid',
    name: 'text',
    owner_id: 'integer',
    api_key: 'text',
    api_key_readonly: 'text',
    badge_key: 'text',
    ping_key: 'text',
    show_slugs: 'flag',
  },
  accounts_member: {
    user_id: 'integer',
    project_id: 'integer',
    role: 'text',
    transfer_request_date: 'time',
  },
  api_check: {
    id: 'integer',
    code: 'uuid',
    project_id: 'integer',
    name: 'text',
    slug: 'text',
    tags: 'text',
    desc: 'text',
    created: 'time',
    kind: 'text',
    timeout: 'duration',
    grace: 'duration',
    schedule: 'text',
    tz: 'text',
    methods: 'text',
    manual_resume: 'flag',
    start_kw: 'text',
    success_kw: 'text',
    failure_kw: 'text',
    filter_subject: 'flag',
    filter_body: 'flag',
    filter_http_body: 'flag?',
    filter_default_fail: 'flag?',
    badge_key: 'uuid?',
    status: 'text',
    n_pings: 'integer',
    last_ping: 'time',
    last_start: 'time',
    last_start_rid: 'uuid',
    last_duration: 'duration',
    has_confirmation_link: 'flag',
  },
  api_channel: {
    id: 'integer',
    code: 'uuid',
    project_id: 'integer',
    name: 'text',
    kind: 'text',
    value: 'text',
    email_verified: 'flag',
    disabled: 'flag',
    last_notify: 'time',
    last_notify_duration: 'duration?',
    last_error: 'text',
  },
  api_channel_checks: { id: 'integer', channel_id: 'integer', check_id: 'integer' },
  api_flip: {
    owner_id: 'integer',
    created: 'time',
    old_status: 'text',
    new_status: 'text',
    reason: 'text?',
    processed: 'time',
  },
  api_ping: {
    id: 'integer',
    owner_id: 'integer',
    n: 'integer',
    created: 'time',
    kind: 'text',
    scheme: 'text',
    method: 'text',
    remote_addr: 'text',
    ua: 'text',
    exitstatus: 'integer',
    rid: 'uuid',
    body_raw: 'bytes',
    body: 'text?',
    object_size: 'integer',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType | `${ColumnType}?`>>>>;

export type TableName = keyof typeof TABLES;

export type ColumnName<T extends TableName> = keyof (typeof TABLES)[T] & string;

type Plain<Type> = Type extends `${infer Name}?` ? Name : Type;

/** A row of a table, or the asked columns of it. */
export type Row<T extends TableName, C extends ColumnName<T> = ColumnName<T>> = {
  readonly [Name in C]: Plain<(typeof TABLES)[T][Name]> extends infer Type extends ColumnType
    ? Values[Type]
    : never;
};

/** Tables whose rows stay behind. They are only counted. */
export const COUNTED_TABLES = [
  'api_notification',
  'django_session',
  'logs_record',
  'payments_subscription',
  'auth_group',
  'auth_user_user_permissions',
] as const;

export type CountedTable = (typeof COUNTED_TABLES)[number];

export interface ColumnPlan {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether versions that are read may not have it. */
  readonly isOptional: boolean;
}

export function columnsOf(table: TableName): readonly ColumnPlan[] {
  return Object.entries(TABLES[table]).map(([name, written]) => ({
    name,
    // The table's type allows these words alone.
    type: written.replace('?', '') as ColumnType,
    isOptional: written.endsWith('?'),
  }));
}

/** How a reader makes values of what it finds. */
export type Converters = { readonly [Type in ColumnType]: (found: unknown) => Values[Type] };
