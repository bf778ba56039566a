import { once } from 'node:events';
import { connect } from 'node:net';
import { configuredKinds, labelOf, runsCommands, sampleOf } from '../../integrations/registry.ts';
import { HttpClient } from '../../lib/http-client.ts';
import { createVault } from '../../lib/vault.ts';
import { S3ObjectStore } from '../../objects/s3.ts';
import type { Installation } from '../installation.ts';
import { type Look, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';

const TIMEOUT_MS = 8_000;
const TEST_OBJECT = Buffer.from('tocsin doctor');

export const outbound: Row = {
  name: 'outbound',
  looksAt:
    'the proxy for outgoing requests, the host of each kind of integration that is set up, and the bucket, into which a test object is put',
  fails: null,
  warns: 'one of them cannot be reached, or the bucket does not keep what is put',
  async look(installation, signal, doing) {
    const { config } = installation;
    const kinds = configuredKinds({ server: config.integrations, hasMail: config.mail !== null });
    const proxies = Object.entries(config.outbound.proxies).filter((entry) => entry[1] !== null);
    if (kinds.length === 0 && proxies.length === 0 && config.objects === null)
      return skip('No kind of integration, proxy or bucket is set up that could be asked.');
    doing('the answers of other hosts');
    const troubles = await Promise.all([
      ...proxies.map(([scheme, url]) => proxyTrouble(`${scheme}_proxy`, url ?? '', signal)),
      ...(await kindTroubles(installation, kinds, signal)),
      bucketTrouble(installation),
    ]);
    return together(troubles, 'Everything that is set up can be reached.');
  },
};

async function proxyTrouble(setting: string, url: string, signal: AbortSignal): Promise<Look | null> {
  const { hostname, port, protocol } = new URL(url);
  const reason = await connectTo(
    { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) },
    signal,
  );
  return reason === null
    ? null
    : warn(`${setting} leads to ${hostname}, which cannot be reached: ${reason}.`);
}

/** One question to each host, and no message. Any answer will do. */
async function kindTroubles(
  { config, world }: Installation,
  kinds: ReturnType<typeof configuredKinds>,
  signal: AbortSignal,
): Promise<Promise<Look | null>[]> {
  const http = new HttpClient({
    userAgent: config.site.name,
    ...config.outbound,
    // The operator has chosen some of the hosts.
    allowPrivateAddresses: true,
    resolve: (host) => world.names.addresses(host),
    timeoutMs: TIMEOUT_MS,
    maxRedirects: 0,
  });
  signal.addEventListener('abort', () => void http[Symbol.asyncDispose](), { once: true });
  const vault = createVault('a sample needs no secret', world.random);
  const targets = new Map<string, string>();
  for (const kind of kinds.filter((one) => !runsCommands(one))) {
    const { requests } = await sampleOf(kind, config.site, vault, config.integrations);
    const [first] = requests;
    if (first !== undefined && !targets.has(first.url)) targets.set(placeOf(first.url), labelOf(kind));
  }
  return [...targets].map(async ([place, label]) => {
    const reason = place.startsWith('http')
      ? await questionTo(http, place, signal)
      : await connectTo(socketOf(place), signal);
    return reason === null
      ? null
      : warn(
          `${label}: ${place} cannot be reached: ${reason}.`,
          'Look at the firewall, the proxy and the settings of this kind.',
        );
  });
}

/** The origin of an address; anything else as it is. */
function placeOf(url: string): string {
  return /^https?:/.test(url) ? new URL(url).origin : url;
}

async function questionTo(http: HttpClient, url: string, signal: AbortSignal): Promise<string | null> {
  const result = await http.send({ method: 'HEAD', url: `${url}/`, headers: {}, body: null, signal });
  return 'error' in result ? result.error : null;
}

type SocketPlace = { readonly path: string } | { readonly host: string; readonly port: number };

/** A socket of this machine, or `host:port`. */
function socketOf(place: string): SocketPlace {
  const [, host, port] = /^(.+):(\d+)$/.exec(place) ?? [];
  return host === undefined || port === undefined ? { path: place } : { host, port: Number(port) };
}

async function connectTo(place: SocketPlace, signal: AbortSignal): Promise<string | null> {
  const socket = connect({ ...place, timeout: TIMEOUT_MS });
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect', { signal });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    socket.destroy();
  }
}

async function bucketTrouble({ config, world }: Installation): Promise<Look | null> {
  if (config.objects === null) return null;
  using bucket = new S3ObjectStore({
    ...config.objects,
    timeoutSeconds: TIMEOUT_MS / 1000,
    clock: world.clock,
  });
  const key = `tocsin-doctor/${world.random.uuid()}`;
  const advice = 'Look at the settings that begin with S3_, and at the rights of the key.';
  try {
    await bucket.put(key, TEST_OBJECT);
    const found = await bucket.get(key, TEST_OBJECT.length);
    await bucket.delete(key);
    if (found !== null && Buffer.compare(found, TEST_OBJECT) === 0) return null;
    return warn(`The bucket ${config.objects.bucket} does not give back what was put.`, advice);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return warn(`The bucket ${config.objects.bucket} cannot be used: ${reason}.`, advice);
  }
}
