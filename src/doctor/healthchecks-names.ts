/** Settings of Healthchecks that have no use here. An environment made for it can be used as it is. */
const NAMES: ReadonlySet<string> = new Set([
  'ADMINS',
  'ALLOWED_HOSTS',
  'APPRISE_ENABLED',
  'BRAND',
  'CHANNEL_LIMIT',
  'CSRF_TRUSTED_ORIGINS',
  'DB_CONN_MAX_AGE',
  'DB_TARGET_SESSION_ATTRS',
  'DEBUG',
  'EMAIL_USE_VERIFICATION',
  'LINENOTIFY_CLIENT_ID',
  'LINENOTIFY_CLIENT_SECRET',
  'MATTERMOST_ENABLED',
  'MSTEAMS_ENABLED',
  'OPSGENIE_ENABLED',
  'PAGERTREE_ENABLED',
  'PD_APP_ID',
  'PD_ENABLED',
  'PD_VENDOR_KEY',
  'PUSHBULLET_CLIENT_ID',
  'PUSHBULLET_CLIENT_SECRET',
  'ROCKETCHAT_ENABLED',
  'RP_ID',
  'SECURE_PROXY_SSL_HEADER',
  'SITE_LOGO_URL',
  'SLACK_ENABLED',
  'SPIKE_ENABLED',
  'TRELLO_APP_KEY',
  'USE_PAYMENTS',
  'VICTOROPS_ENABLED',
  'WEBHOOKS_ENABLED',
  'ZULIP_ENABLED',
]);

export function isHealthchecksName(name: string): boolean {
  return NAMES.has(name) || name.startsWith('UWSGI_');
}
