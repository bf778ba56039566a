import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../config/read-config.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

/** The installation, of the sources as well as of the package. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IS_CHECKOUT = import.meta.url.endsWith('.ts');

/** What the files of `deploy/systemd` name, where a package of a distribution would be. */
const TEMPLATE = { node: '/usr/bin/node', root: '/usr/lib/node_modules/tocsin-server/', port: 8000 } as const;

/** Folders that the unit hides from the service. */
export const HIDDEN = ['/home/', '/root/', '/run/user/', '/tmp/', '/var/tmp/'];

export interface Installation {
  readonly node: string;
  /** Ends with a slash. */
  readonly root: string;
  readonly port: number;
  /** Whether the sources run, without a build. */
  readonly isCheckout: boolean;
}

export const unit: Command = {
  usage: '[--socket]',
  summary: 'print a unit of systemd for this installation, or its socket unit',
  async run(args, io) {
    const [option, ...others] = args;
    if (others.length > 0 || (option !== undefined && option !== '--socket'))
      throw new UsageError('unit takes no argument but --socket');
    const file = option === undefined ? 'tocsin.service' : 'tocsin.socket';
    const template = await readFile(join(ROOT, 'deploy/systemd', file), 'utf8').catch(() => null);
    if (template === null)
      throw new CommandFailure(
        'This installation has no units: a container needs none, its runtime starts it again.',
      );
    const { port } = readConfig(io.environment()).listen;
    io.stdout.write(unitFor(template, { node: ownNode(), root: ROOT, port, isCheckout: IS_CHECKOUT }));
    return 0;
  },
};

/** The file with the paths of an installation. */
export function unitFor(template: string, { node, root, port, isCheckout }: Installation): string {
  const hidden = [node, root].find((path) => HIDDEN.some((folder) => path.startsWith(folder)));
  if (hidden !== undefined)
    throw new CommandFailure(
      `A service has no access to ${hidden}. Install Tocsin where it has: ` +
        'sudo npm install --global --prefix /opt/tocsin tocsin-server, then /opt/tocsin/bin/tocsin unit',
    );
  const printed = template
    .replaceAll(TEMPLATE.node, node)
    .replaceAll(TEMPLATE.root, root)
    .replaceAll(`ListenStream=${TEMPLATE.port}`, `ListenStream=${port}`);
  return isCheckout ? printed.replaceAll(/\bdist\/(\S+)\.js\b/g, 'src/$1.ts') : printed;
}

/** The Node that came with Tocsin, which an upgrade of the machine's does not change. Else the one that runs this. */
function ownNode(): string {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return process.execPath;
  }
}
