import { AppError, type ErrorCode } from '../domain/errors.ts';

/** The answer to a failure. Only this file knows status numbers. */
export interface ErrorReply {
  readonly status: number;
  readonly error: string;
  readonly retryAfterSeconds: number | null;
  /** The code, and the field of the request that is wrong, for pages that act on them. */
  readonly code: string;
  readonly field: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The status of each code, and its text if the code has only one. */
const REPLIES: Record<ErrorCode, { status: number; error?: string }> = {
  invalid_body: { status: 400 },
  // Clients know 400 from the reference, not 413.
  body_too_large: { status: 400, error: 'request body is too large' },
  invalid_field: { status: 400 },
  invalid_channel: { status: 400 },
  missing_api_key: { status: 401, error: 'missing api key' },
  wrong_api_key: { status: 401, error: 'wrong api key' },
  malformed_scrape_key: { status: 400, error: 'invalid api key' },
  wrong_scrape_key: { status: 403, error: 'wrong api key' },
  wrong_metrics_key: { status: 403, error: 'wrong metrics key' },
  permission_denied: { status: 403, error: 'permission denied' },
  check_limit_reached: { status: 403, error: 'check limit reached' },
  check_of_other_project: { status: 403, error: 'access denied' },
  channel_not_found: { status: 404, error: 'channel not found' },
  channel_limit_reached: { status: 403, error: 'integration limit reached' },
  commands_by_people_only: {
    status: 403,
    error: 'only people who are signed in write commands, not keys or tokens',
  },
  kind_not_offered: { status: 409 },
  channel_off: { status: 409, error: 'the integration is off or not confirmed' },
  connection_expired: { status: 403, error: 'That link has expired or was used before. Please start again.' },
  connection_cancelled: { status: 409 },
  // Not 502 or 504, by which proxies and monitors would take this service for broken.
  connection_failed: { status: 424 },
  code_not_sent: { status: 424 },
  channel_of_other_project: { status: 403, error: 'access denied' },
  check_not_down: { status: 409, error: 'check is not down' },
  check_not_paused: { status: 409, error: 'check is not paused' },
  check_changed: { status: 409 },
  name_required: { status: 409 },
  invalid_query: { status: 400 },
  ping_not_found: { status: 404, error: 'ping not found' },
  delivery_not_found: { status: 404, error: 'nothing is waiting to be sent' },
  no_ping_body: { status: 404, error: 'ping body not found' },
  body_unavailable: { status: 503, error: 'ping body temporarily unavailable' },
  too_many_requests: { status: 429, error: 'too many requests' },
  too_many_requests_from_address: { status: 429, error: 'too many requests from this address' },
  not_signed_in: { status: 401, error: 'sign in first' },
  cross_origin: { status: 403, error: 'requests from other sites are refused' },
  // Not 401, which means that a session has ended.
  wrong_credentials: { status: 403 },
  too_many_attempts: { status: 429, error: 'Too many attempts, please try later.' },
  other_way_needed: { status: 429 },
  links_mailed: {
    status: 429,
    error:
      'If this address can sign in here, links were mailed to it in the last minutes. Open one of them: each works for an hour.',
  },
  confirmation_required: { status: 403, error: 'confirm that it is you' },
  weak_password: { status: 400 },
  account_not_found: { status: 404, error: 'account not found' },
  last_administrator: { status: 409, error: 'Somebody has to administer the service.' },
  email_taken: { status: 409 },
  sign_up_closed: { status: 403 },
  second_factor_exists: { status: 409, error: 'There is an authenticator app already.' },
  passkey_limit_reached: { status: 403, error: 'There are too many passkeys.' },
  passkey_not_found: { status: 404, error: 'passkey not found' },
  sign_in_expired: { status: 403, error: 'That took too long. Please sign in again.' },
  second_factor_required: { status: 403, error: 'Add a second factor to your account first.' },
  stronger_proof_exists: { status: 403 },
  local_sign_in_off: { status: 403, error: 'People sign in here by another service.' },
  // Not 502 or 504, by which proxies and monitors would take this service for broken.
  provider_unavailable: {
    status: 424,
    error: 'The service that signs you in does not answer. Please try again later.',
  },
  provider_refused: { status: 403, error: 'The other service has not signed you in. Please try again.' },
  email_unverified: { status: 403, error: 'The other service does not say that your address is verified.' },
  domain_not_admitted: { status: 403, error: 'Addresses of this domain cannot sign in here.' },
  account_exists: {
    status: 403,
    error: 'This address has an account. Sign in to it, and connect the other service in its settings.',
  },
  identity_conflict: {
    status: 409,
    error: 'The account or the person is connected otherwise. Ask whoever runs this service.',
  },
  identity_not_found: { status: 404, error: 'identity not found' },
  last_way_in: { status: 409, error: 'You could not sign in any more. Set a password first.' },
  no_mail: { status: 403, error: 'This service sends no mail.' },
  invalid_link: { status: 403, error: 'The link is incorrect or has expired.' },
  session_not_found: { status: 404, error: 'session not found' },
  member_not_found: { status: 404, error: 'member not found' },
  invalid_member: { status: 400 },
  already_member: { status: 409 },
  member_limit_reached: { status: 403, error: 'The project has as many members as it can have.' },
  invitation_not_found: { status: 404, error: 'invitation not found' },
  invitation_limit_reached: { status: 403, error: 'Too many invitations are open. Revoke one first.' },
  too_many_invitations: {
    status: 429,
    error: 'These are many invitations for one day. Please send the next ones later.',
  },
  other_address: { status: 409 },
  project_not_found: { status: 404, error: 'project not found' },
  project_limit_reached: { status: 403, error: 'You have too many projects.' },
  project_declared: { status: 409 },
  offer_not_found: { status: 404, error: 'This project is not offered to you.' },
  check_quota_too_small: { status: 409 },
  missing_project: { status: 400, error: 'name the project in X-Project' },
  key_not_found: { status: 404, error: 'key not found' },
  key_limit_reached: { status: 403, error: 'key limit reached' },
  token_not_found: { status: 404, error: 'token not found' },
  token_limit_reached: { status: 403, error: 'token limit reached' },
  status_page_not_found: { status: 404, error: 'status page not found' },
  status_page_limit_reached: { status: 403, error: 'The project has as many status pages as it can have.' },
  status_page_changed: { status: 409, error: 'Somebody else has changed the page meanwhile.' },
  slug_taken: { status: 409, error: 'Another status page has this address.' },
  notice_not_found: { status: 404, error: 'incident or maintenance not found' },
  notice_limit_reached: { status: 403, error: 'The page tells of as many incidents as it can tell of.' },
  quiet_time_not_found: { status: 404, error: 'quiet time not found' },
  quiet_time_limit_reached: {
    status: 403,
    error: 'The project has as many quiet times as it can have.',
  },
  wall_not_found: { status: 404, error: 'wall display not found' },
  wall_limit_reached: { status: 403, error: 'The project has as many wall displays as it can have.' },
  alias_not_found: { status: 404, error: 'alias not found' },
  alias_limit_reached: { status: 403, error: 'There are as many aliases as there can be.' },
  token_taken: { status: 409, error: 'This token is already in use.' },
  view_not_found: { status: 404, error: 'view not found' },
  view_limit_reached: { status: 403, error: 'There are as many views as there can be. Delete one first.' },
  policy_not_found: { status: 404, error: 'policy not found' },
  policy_limit_reached: { status: 403, error: 'policy limit reached' },
  policy_in_use: { status: 409 },
  policy_name_taken: { status: 409, error: 'another policy has this name' },
  calendar_not_found: { status: 404, error: 'calendar not found' },
  calendar_limit_reached: { status: 403, error: 'calendar limit reached' },
  calendar_in_use: { status: 409 },
  calendar_name_taken: { status: 409, error: 'another calendar has this name' },
  check_not_found: { status: 404, error: 'check not found' },
  demonstration: { status: 403, error: 'This is a demonstration: nothing can be changed.' },
  not_found: { status: 404, error: 'not found' },
  overloaded: { status: 503, error: 'overloaded' },
  storage_unavailable: { status: 503, error: 'temporarily unavailable' },
};

/** The answer to any thrown error. Null for a bug, which is logged and answered without details. */
export function errorReply(error: AppError): ErrorReply;
export function errorReply(error: unknown): ErrorReply | null;
export function errorReply(error: unknown): ErrorReply | null {
  if (!(error instanceof AppError)) return null;
  const reply = REPLIES[error.code];
  return {
    status: reply.status,
    error: reply.error ?? error.message,
    retryAfterSeconds: error.retryAfterSeconds,
    code: error.code,
    field: error.field,
    details: error.details,
  };
}
