import { SLUG_MAX_LENGTH } from './slug.ts';

/**
 * The largest number of characters (code points) of each text that people write, in the API and in provisioning files.
 * If the reference has a limit, it is the same. Longer texts that are already stored stay; new ones are refused.
 */
export const TEXT_LIMITS = Object.freeze({
  checkName: 100,
  checkSlug: SLUG_MAX_LENGTH,
  checkTags: 500,
  /** The reference has no limit. Clients write far less. */
  checkDescription: 100_000,
  checkSchedule: 100,
  checkKeywords: 200,
  /** Names or UUIDs of integrations. One request may list nearly a thousand of the longest names. */
  checkChannels: 100_000,
  projectName: 60,
  accountName: 100,
  /** Why an administrator enters a project. */
  visitReason: 200,
  channelName: 100,
  /** Policies, which say how outages are told. */
  policyName: 60,
  calendarName: 60,
  /** The code by which a recipient confirms an integration, as somebody types it. */
  confirmationCode: 20,
  /** API keys and account tokens. */
  keyName: 100,
  /** Views of the list of checks. */
  viewName: 60,
  quietTimeName: 60,
  quietTimeReason: 200,
  /** Public status pages, components, and incidents. */
  statusTitle: 100,
  /** Addresses of public status pages. */
  statusSlug: 60,
  statusGroup: 60,
  statusAbout: 500,
  statusUpdate: 2_000,
  /** RFC 5321, section 4.5.3.1.3. */
  emailAddress: 254,
  password: 1_000,
  webhookUrl: 1_000,
  /** Texts by the owner of an integration, which replace ours. */
  ownTitle: 200,
  ownText: 2_000,
  webhookBody: 1_000,
  webhookHeader: 1_000,
});

/** Headers of one webhook request. */
export const MAX_WEBHOOK_HEADERS = 50;
