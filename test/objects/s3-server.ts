import { join } from 'node:path';
import type { ObjectsConfig } from '../../src/config.ts';
import { REPOSITORY, type RunningProcess, startProcess, temporaryFolder } from '../process.ts';

const BUCKET = 'bodies';
/** The only keys that the server knows. */
const KEY = 'S3RVER';

/** A storage that speaks S3, as a process of its own. What it holds outlives its stops. */
export interface S3Server extends AsyncDisposable {
  readonly config: ObjectsConfig;
  /** Ends it without a word, as a power cut would. */
  stop(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const launch = (port: string): RunningProcess =>
    startProcess(
      process.execPath,
      [
        // It makes its continuation tokens with a cipher that OpenSSL has put aside.
        '--openssl-legacy-provider',
        join(REPOSITORY, 'node_modules/s3rver/bin/s3rver.js'),
        ...['--directory', folder.path, '--port', port, '--silent', '--configure-bucket', BUCKET],
      ],
      { cwd: folder.path },
    );
  let running: RunningProcess | null = launch('0');
  opened.defer(() => running?.[Symbol.asyncDispose]());
  const port = await portOf(running);
  const parts = opened.move();
  return {
    config: {
      endpoint: `127.0.0.1:${port}`,
      isSecure: false,
      region: 'us-east-1',
      bucket: BUCKET,
      accessKey: KEY,
      secretKey: KEY,
      timeoutSeconds: 5,
    },
    async stop() {
      running?.signal('SIGKILL');
      await running?.exit();
      running = null;
    },
    async start() {
      running ??= launch(port);
      await portOf(running);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function portOf(server: RunningProcess): Promise<string> {
  const [, port] = await server.output(/listening on 127\.0\.0\.1:(\d+)/);
  if (port === undefined) throw new Error('unreachable: the pattern has a group');
  return port;
}
