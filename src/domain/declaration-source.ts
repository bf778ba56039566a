/** The source of provisioning files that name none. */
export const DEFAULT_SOURCE = 'default';
