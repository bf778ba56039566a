import { isIP, isIPv6 } from 'node:net';
import type { GroupRole } from '../domain/people/group-roles.ts';
import { MEMBER_ROLES } from '../domain/people/permission.ts';
import { choice, line, type TextFormat, wholeNumber } from '../lib/env-setting.ts';
import { MIN_SECRET_LENGTH } from '../lib/vault.ts';

export const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

export const hostName: TextFormat<string> = {
  accepts: 'a domain name',
  parse: (text) => (HOST_NAME.test(text) && isIP(text) === 0 ? text.toLowerCase() : undefined),
};

export const domainNames: TextFormat<readonly string[]> = {
  accepts: 'domain names separated by commas, such as example.org',
  parse: (text) => {
    const names = text.split(',').map((name) => hostName.parse(name.trim()));
    return names.every((name) => name !== undefined) ? names : undefined;
  },
};

// The text that replaces `%s` has exactly the greatest length of a local part, so nothing may stand beside it.
export const returnTemplate: TextFormat<string> = {
  accepts: '%s@ and a domain name',
  parse: (text) => (text.startsWith('%s@') && hostName.parse(text.slice(3)) !== undefined ? text : undefined),
};

export const listenAddress: TextFormat<string> = {
  accepts: 'an IP address or a host name, without a port',
  parse: (text) => (isIP(text) !== 0 || HOST_NAME.test(text) ? text : undefined),
};

export const hostAndPort: TextFormat<string> = {
  accepts: 'HOST or HOST:PORT, without http:// and without a path',
  parse: (text) => {
    const [, bracketed, plain = '', port = '1'] = /^(?:\[([^\]]*)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
    const isHost = bracketed === undefined ? listenAddress.parse(plain) !== undefined : isIPv6(bracketed);
    return isHost && wholeNumber(1, 65_535).parse(port) !== undefined ? text : undefined;
  },
};

export const bucketName: TextFormat<string> = {
  accepts: '3 to 63 letters, digits, dots, hyphens and underscores',
  parse: (text) => (/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(text) ? text : undefined),
};

export const regionName: TextFormat<string> = {
  accepts: 'letters, digits and hyphens, such as us-east-1',
  parse: (text) => (/^[a-z0-9-]{1,64}$/i.test(text) ? text : undefined),
};

export const storageKey: TextFormat<string> = {
  accepts: 'visible ASCII characters',
  parse: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
};

export const siteRoot: TextFormat<string> = {
  accepts: 'an http:// or https:// URL without user, query or fragment',
  parse: (text) => {
    const url = parseHttpUrl(text);
    if (url === undefined || url.username || url.password || url.search || url.hash) return undefined;
    return (url.origin + url.pathname).replace(/\/+$/, '');
  },
};

export const urlPrefix: TextFormat<string> = {
  accepts: 'an http:// or https:// URL',
  parse: (text) => (parseHttpUrl(text) === undefined ? undefined : text),
};

/** Every wrong key or signature is compared under each fallback, so there may be only a few. */
const MAX_FALLBACKS = 5;

export const secretKey: TextFormat<string> = {
  accepts: `at least ${MIN_SECRET_LENGTH} characters that nobody can guess`,
  parse: (text) => (text.trim().length >= MIN_SECRET_LENGTH ? text : undefined),
};

export const secretKeys: TextFormat<readonly string[]> = {
  accepts: `keys of at least ${MIN_SECRET_LENGTH} characters, one a line and ${MAX_FALLBACKS} at the most`,
  parse: (text) => {
    const keys = text.split(/\r?\n/).filter((key) => key.trim() !== '');
    const isRight =
      keys.length <= MAX_FALLBACKS && keys.every((key) => key.trim().length >= MIN_SECRET_LENGTH);
    return isRight ? keys : undefined;
  },
};

// `sqlite://` is refused because elsewhere three slashes mean a relative path and four an absolute one:
// read either way, some operators would start on an empty database in the wrong place.
export const databaseUrl: TextFormat<
  { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
> = {
  accepts:
    'sqlite:PATH (a plain path, no slashes added) or postgres://USER:PASSWORD@HOST:PORT/NAME with special characters percent-encoded',
  parse: (text) => {
    const path = /^sqlite:(?!\/\/)(.+)$/.exec(text)?.[1];
    if (path !== undefined) return { engine: 'sqlite', path };
    return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
      ? { engine: 'postgres', url: text }
      : undefined;
  },
};

export const databaseEngine: TextFormat<'sqlite' | 'postgres'> = {
  ...choice(['sqlite', 'postgres']),
  accepts: 'sqlite or postgres; MySQL and MariaDB are not supported',
};

// A prefix of 0 would trust every address, and the proxy library refuses it.
export const addressRanges: TextFormat<readonly string[]> = {
  accepts:
    'IP addresses and CIDR ranges separated by commas, such as 10.0.0.0/8 (prefix 1 or longer), or None',
  parse: (text) => {
    if (text.toLowerCase() === 'none') return [];
    const ranges = text
      .split(',')
      .map((range) => range.trim())
      .filter((range) => range !== '');
    return ranges.length > 0 && ranges.every(isAddressRange) ? ranges : undefined;
  },
};

export const issuer: TextFormat<string> = {
  accepts: 'an http:// or https:// URL without user, query or fragment',
  parse: (text) => (siteRoot.parse(text) === undefined ? undefined : text),
};

/** Names of claims and of scopes, such as `groups` or `https://example.org/groups`. */
export const token: TextFormat<string> = {
  accepts: 'visible ASCII characters without quotes and backslashes',
  parse: (text) => (/^[!#-[\]-~]{1,200}$/.test(text) ? text : undefined),
};

export const scopeList: TextFormat<string> = {
  accepts: 'names separated by spaces, openid among them',
  parse: (text) => {
    const names = text.split(/\s+/);
    const isRight = names.includes('openid') && names.every((name) => token.parse(name) !== undefined);
    return isRight ? names.join(' ') : undefined;
  },
};

// Takes the spelling of the reference, and the spelling in a request.
export const headerName: TextFormat<string> = {
  accepts: 'the name of a header, such as X-Authenticated-User or HTTP_X_AUTHENTICATED_USER',
  parse: (text) => {
    const name = text
      .replace(/^HTTP_/, '')
      .replaceAll('_', '-')
      .toLowerCase();
    return /^[a-z0-9][a-z0-9-]{0,99}$/.test(name) ? name : undefined;
  },
};

export const groupNames: TextFormat<readonly string[]> = {
  accepts: 'names of groups separated by commas',
  parse: (text) => {
    const names = text.split(',').map((name) => name.trim());
    return names.every((name) => name !== '' && line.parse(name) !== undefined) ? names : undefined;
  },
};

const GROUP_ROLE = new RegExp(
  `^(.+?)=([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}):(${MEMBER_ROLES.join('|')})(?:,\\s*|$)`,
);

// The name of a group may have commas and equal signs. The project and the role that follow end it.
export const groupRoles: TextFormat<readonly GroupRole[]> = {
  accepts: `GROUP=PROJECT:ROLE separated by commas, with the UUID of a project and ${MEMBER_ROLES.join(', ')} as role`,
  parse: (text) => {
    const roles: GroupRole[] = [];
    for (let rest = text; rest !== ''; ) {
      const [entry = '', group = '', project = '', name = ''] = GROUP_ROLE.exec(rest) ?? [];
      const role = MEMBER_ROLES.find((one) => one === name);
      if (role === undefined) return undefined;
      roles.push({ group: group.trim(), project: project.toLowerCase(), role });
      rest = rest.slice(entry.length);
    }
    return roles;
  },
};

function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s]+$/i.test(text)) return undefined;
  return URL.parse(text) ?? undefined;
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || wholeNumber(1, version === 4 ? 32 : 128).parse(prefix) !== undefined;
}
