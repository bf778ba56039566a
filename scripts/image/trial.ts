/** What all trials of the image share. */
import { unless } from '../../test/process.ts';

/** Why a machine cannot make the image. */
export const withoutTools =
  unless(['mmdebstrap', '--version'], 'mmdebstrap is not installed') ||
  unless(['x86_64-linux-gnu-strip', '--version'], 'binutils for amd64 is not installed') ||
  unless(['aarch64-linux-gnu-strip', '--version'], 'binutils-aarch64-linux-gnu is not installed');

export const KEY = 'hcw_0123456789abcdefghijklmnopqr';
const PING_KEY = 'abcdefghijklmnopqrstuv';
/** The path to which the only check pings. */
export const PING_PATH = `/ping/${PING_KEY}/heartbeat`;
export const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys: { read_write: ${KEY}, ping: ${PING_KEY} }
    checks:
      - { slug: heartbeat, timeout: 3600 }
`;

/** A way to the internet may be among it. */
export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).map(([name, value]) => [name, value ?? '']),
);
