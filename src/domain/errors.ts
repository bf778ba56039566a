/**
 * All expected errors. Services throw an `AppError` with one of these codes. Only `http/error-map.ts` knows the status and
 * the text of each code.
 */
export type ErrorCode =
  | 'invalid_body'
  | 'body_too_large'
  | 'invalid_field'
  | 'invalid_channel'
  | 'missing_api_key'
  | 'wrong_api_key'
  | 'malformed_scrape_key'
  | 'wrong_scrape_key'
  | 'wrong_metrics_key'
  | 'permission_denied'
  | 'check_limit_reached'
  | 'check_not_found'
  | 'check_of_other_project'
  | 'check_not_paused'
  | 'check_not_down'
  | 'check_changed'
  | 'name_required'
  | 'channel_not_found'
  | 'channel_of_other_project'
  | 'channel_limit_reached'
  | 'commands_by_people_only'
  | 'kind_not_offered'
  | 'channel_off'
  | 'code_not_sent'
  | 'connection_expired'
  | 'connection_cancelled'
  | 'connection_failed'
  | 'invalid_query'
  | 'ping_not_found'
  | 'no_ping_body'
  | 'delivery_not_found'
  | 'body_unavailable'
  | 'too_many_requests'
  | 'too_many_requests_from_address'
  | 'overloaded'
  | 'not_signed_in'
  | 'cross_origin'
  | 'wrong_credentials'
  | 'too_many_attempts'
  | 'other_way_needed'
  | 'links_mailed'
  | 'confirmation_required'
  | 'weak_password'
  | 'session_not_found'
  | 'project_not_found'
  | 'member_not_found'
  | 'invalid_member'
  | 'already_member'
  | 'member_limit_reached'
  | 'invitation_not_found'
  | 'invitation_limit_reached'
  | 'too_many_invitations'
  | 'other_address'
  | 'project_limit_reached'
  | 'project_declared'
  | 'offer_not_found'
  | 'check_quota_too_small'
  | 'missing_project'
  | 'key_not_found'
  | 'key_limit_reached'
  | 'token_not_found'
  | 'token_limit_reached'
  | 'status_page_not_found'
  | 'status_page_limit_reached'
  | 'status_page_changed'
  | 'slug_taken'
  | 'notice_not_found'
  | 'notice_limit_reached'
  | 'quiet_time_not_found'
  | 'quiet_time_limit_reached'
  | 'wall_not_found'
  | 'wall_limit_reached'
  | 'alias_not_found'
  | 'alias_limit_reached'
  | 'token_taken'
  | 'view_not_found'
  | 'view_limit_reached'
  | 'policy_not_found'
  | 'policy_limit_reached'
  | 'policy_in_use'
  | 'policy_name_taken'
  | 'calendar_not_found'
  | 'calendar_limit_reached'
  | 'calendar_in_use'
  | 'calendar_name_taken'
  | 'account_not_found'
  | 'last_administrator'
  | 'email_taken'
  | 'invalid_link'
  | 'sign_up_closed'
  | 'second_factor_exists'
  | 'passkey_limit_reached'
  | 'passkey_not_found'
  | 'sign_in_expired'
  | 'stronger_proof_exists'
  | 'second_factor_required'
  | 'no_mail'
  | 'local_sign_in_off'
  | 'provider_unavailable'
  | 'provider_refused'
  | 'email_unverified'
  | 'domain_not_admitted'
  | 'account_exists'
  | 'identity_conflict'
  | 'identity_not_found'
  | 'last_way_in'
  | 'demonstration'
  | 'not_found'
  | 'storage_unavailable';

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** After how many seconds a client may try again. */
  readonly retryAfterSeconds: number | null;
  /** The field of the request that is wrong, for forms. */
  readonly field: string | null;
  /** Further facts with which a page asks the person how to continue. Other clients do not get them. */
  readonly details: Readonly<Record<string, unknown>>;

  /** `message` is the text for the client, if a code has several texts. */
  constructor(
    code: ErrorCode,
    message: string = code,
    options: ErrorOptions & {
      retryAfterSeconds?: number;
      field?: string;
      details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.field = options.field ?? null;
    this.details = options.details ?? {};
  }
}

/** Whether it is a failure of the storage that passes. */
export function isOutage(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'storage_unavailable';
}
