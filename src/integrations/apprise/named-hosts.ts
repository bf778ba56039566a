import { isIP } from 'node:net';

/**
 * Schemes after which Apprise expects the host of a server. Each may have an `s` at its end, for TLS. After other schemes
 * comes a token, which must not become a question to a name server.
 */
const SERVER_SCHEMES = new Set(
  [
    'apprise bark emby enigma2 form gotify growl hassio http irc jellyfin json kodi lametric lunasea mailto mastodon',
    'matrix misskey mmost mqtt ncloud nctalk notica ntfy parsep pjet pushdeer rocket rsyslog signal smpp synology toot',
    'workflow xbmc xml xmpp',
  ].flatMap((schemes) => schemes.split(' ').flatMap((scheme) => [scheme, `${scheme}s`])),
);

/** A scheme and its authority. Apprise takes any number of slashes, and several URLs in one text. */
const URLS = /([a-z][a-z0-9+.-]*):\/+([^/?#\s,]*)/gi;
const PARAMETERS = /[?&]([^=&\s]*)=([^&#\s,]*)/g;
/** A topic at the provider's own server, where other URLs of the scheme have a host. */
const TOPICS = /\b(?:ntfy|notica)s?:\/+[\w-]+\/?(?=$|[\s,]|\?(?![^\s,]*\b(?:to|mode)=))/gi;
/** RFC 1035, section 2.3.4: a longer one is a token. */
const MAX_LABEL = 63;

/**
 * The hosts to which Apprise connects for these URLs. A part that is a token is left out, unless it is an address. Whatever
 * a service may read in two ways counts as a host.
 */
export function namedHosts(text: string): string[] {
  const hosts = [text, percentDecoded(text)]
    .map((urls) => urls.replace(TOPICS, ''))
    .flatMap((urls) => [
      ...[...urls.matchAll(URLS)].flatMap(([, scheme = '', authority = '']) =>
        hostsIn(authority, SERVER_SCHEMES.has(scheme.toLowerCase())),
      ),
      // The server of a mail is a parameter. Others may be an address.
      ...[...urls.matchAll(PARAMETERS)].flatMap(([, name = '', value = '']) =>
        name.toLowerCase() === 'smtp' ? hostsIn(value, true) : [value].filter(isAddress).map(usualSpelling),
      ),
    ]);
  return [...new Set(hosts)];
}

/** Programs disagree about which `@` ends the user, so all but the first part may be the host. */
function hostsIn(authority: string, isServer: boolean): string[] {
  const [first = '', ...others] = authority.split('@');
  const written = (others.length === 0 ? [first] : others).filter((host) => host !== '');
  const hosts = written.filter((host) => isServer || isAddress(host) || isName(host)).map(usualSpelling);
  return hosts.filter((host) => host.split('.').every((label) => label.length <= MAX_LABEL));
}

/** `127.1`, `0x7f000001` and `[::1]:80` are addresses, too. */
function usualSpelling(host: string): string {
  return URL.parse(`http://${host}/`)?.hostname.replace(/^\[|\]$/g, '') ?? host.replace(/:\d*$/, '');
}

function isAddress(written: string): boolean {
  const host = written.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(host) !== 0 || isIP(written) !== 0 || /(?:^|\.)localhost\.?$/i.test(host);
}

function isName(written: string): boolean {
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,}\.?(?::\d*)?$/i.test(written);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
