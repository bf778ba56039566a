/**
 * An image as files: https://github.com/opencontainers/image-spec. Beside its index stands the list that `docker load` reads.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Entry, file, tar } from './tar.ts';

export type Architecture = 'amd64' | 'arm64';

/** What is asked for when a container of the image starts; https://github.com/moby/docker-image-spec adds the health check. */
export interface ContainerConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly StopSignal: string;
  readonly Healthcheck: {
    readonly Test: readonly string[];
    /** In nanoseconds, like the others. */
    readonly Interval: number;
    readonly Timeout: number;
    readonly StartPeriod: number;
    readonly Retries: number;
  };
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Layer {
  readonly what: string;
  /** Digest of the archive as it is unpacked. */
  readonly diffId: string;
  readonly unpackedBytes: number;
  readonly blob: Blob;
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly content: Uint8Array;
}

export interface Image {
  readonly architecture: Architecture;
  readonly config: Blob;
  readonly layers: readonly Layer[];
  readonly manifest: Blob;
}

const INDEX = 'application/vnd.oci.image.index.v1+json';
/** https://github.com/distribution/distribution/blob/main/docs/content/spec/manifest-v2-2.md: podman knows health checks of these alone. */
const DOCKER = 'application/vnd.docker';

export async function layerOf(what: string, entries: readonly Entry[], seconds: number): Promise<Layer> {
  const archive = tar(entries, seconds);
  const compressed = await promisify(gzip)(archive, { level: 9 });
  const unpackedBytes = entries.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  return {
    what,
    diffId: digestOf(archive),
    unpackedBytes,
    blob: blobOf(`${DOCKER}.image.rootfs.diff.tar.gzip`, compressed),
  };
}

export function imageOf(
  architecture: Architecture,
  layers: readonly Layer[],
  config: ContainerConfig,
  seconds: number,
): Image {
  const created = dateOf(seconds);
  const configBlob = jsonBlob(`${DOCKER}.container.image.v1+json`, {
    created,
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ what }) => ({ created, created_by: 'npm run image', comment: what })),
  });
  const mediaType = `${DOCKER}.distribution.manifest.v2+json`;
  const manifest = jsonBlob(mediaType, {
    schemaVersion: 2,
    mediaType,
    config: descriptorOf(configBlob),
    layers: layers.map(({ blob }) => descriptorOf(blob)),
  });
  return { architecture, config: configBlob, layers, manifest };
}

/** One archive of one image, or of several for different processors. */
export function archiveOf(images: readonly Image[], name: string, version: string, seconds: number): Buffer {
  const platforms = images.map(({ manifest, architecture }) => ({
    ...descriptorOf(manifest),
    platform: { architecture, os: 'linux' },
  }));
  const index = jsonBlob(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests: platforms });
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    // Docker and podman take the name from here.
    'io.containerd.image.name': `docker.io/library/${name}:${version}`,
  };
  const named = { ...descriptorOf(index), annotations };
  const blobs = images.flatMap(({ config, layers, manifest }) => [
    config,
    manifest,
    ...layers.map(({ blob }) => blob),
  ]);
  const forDocker = images.map(({ config, layers, architecture }) => ({
    Config: pathOf(config),
    RepoTags: [`${name}:${version}${images.length === 1 ? '' : `-${architecture}`}`],
    Layers: layers.map(({ blob }) => pathOf(blob)),
  }));
  return tar(
    [
      file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
      file('index.json', json({ schemaVersion: 2, mediaType: INDEX, manifests: [named] })),
      file('manifest.json', json(forDocker)),
      ...[...blobs, index].map((blob) => file(pathOf(blob), blob.content)),
    ],
    seconds,
  );
}

export function dateOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function jsonBlob(mediaType: string, value: unknown): Blob {
  return blobOf(mediaType, Buffer.from(json(value)));
}

function blobOf(mediaType: string, content: Uint8Array): Blob {
  return { mediaType, digest: digestOf(content), content };
}

function descriptorOf({ mediaType, digest, content }: Blob): object {
  return { mediaType, digest, size: content.length };
}

function pathOf({ digest }: Blob): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
