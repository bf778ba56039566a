import { isGlobalUnicast } from '../lib/address-guard.ts';

/** The public addresses and names of the installation. */
export interface Site {
  /** Public base address, without a slash at its end. */
  readonly root: string;
  /** The beginning of ping addresses. */
  readonly pingEndpoint: string;
  /** The label of the badge for all checks of a project. */
  readonly masterBadgeLabel: string;
}

/** The path below which the service answers, without a slash at its end. */
export function sitePath(root: string): string {
  return new URL(root).pathname.replace(/\/$/, '');
}

/** Whether only programs of this machine reach the service by its address. */
export function isOnlyThisMachine(root: string): boolean {
  const hostname = hostnameOf(root);
  return /(^|\.)localhost$|^127\.|^0\.0\.0\.0$|^\[::1?\]$/.test(hostname) || hostname === '';
}

/** Whether a provider elsewhere can reach the service by its address. */
export function isReachedFromOutside(root: string): boolean {
  const hostname = hostnameOf(root);
  return !isOnlyThisMachine(root) && (/\..*[^\d.]/.test(hostname) || isGlobalUnicast(hostname));
}

function hostnameOf(root: string): string {
  return URL.parse(root)?.hostname ?? '';
}

/** The address at which Prometheus scrapes a project, with a read-only key of it as bearer token. */
export function prometheusAddress(root: string, projectUuid: string): string {
  return `${root}/projects/${projectUuid}/metrics/`;
}

/** The installation, as messages to people show it. */
export interface MessageSite {
  readonly name: string;
  /** Public base address, without a slash at its end. */
  readonly root: string;
}

/** The address of a check's page. It does not reveal the UUID, which is the secret of pings; the page asks for a login. */
export function checkAddress(root: string, uniqueKey: string): string {
  return `${root}/cloaked/${uniqueKey}/`;
}

/** The address of the list of a project's checks. */
/** The page of one integration. */
export function integrationAddress(root: string, projectUuid: string, channelUuid: string): string {
  return `${root}/projects/${projectUuid}/integrations/${channelUuid}/`;
}

export function projectAddress(root: string, projectUuid: string): string {
  return `${root}/projects/${projectUuid}/checks/`;
}

/** The page of a button in a message. */
export function buttonAddress(root: string, deliveryUuid: string, verb: string, token: string): string {
  return `${root}/buttons/${deliveryUuid}/${verb}/${token}/`;
}
