/** The parts of the packages that the tests use. */
declare module 'aedes' {
  import type { Socket } from 'node:net';

  interface Packet {
    readonly topic: string;
    readonly payload: Uint8Array | string;
    readonly qos: number;
    readonly retain: boolean;
  }

  export interface Options {
    authenticate(
      client: unknown,
      username: string | undefined,
      password: Uint8Array | undefined,
      done: (error: Error | null, isAllowed: boolean) => void,
    ): void;
  }

  export class Aedes {
    static createBroker(options: Options): Promise<Aedes>;
    readonly handle: (socket: Socket) => void;
    on(event: 'publish', listener: (packet: Packet, client: object | null) => void): this;
    close(done: () => void): void;
  }
}

declare module 'smtp-server' {
  import type { Server } from 'node:net';
  import type { Readable } from 'node:stream';

  export interface SMTPServerOptions {
    readonly disabledCommands?: readonly string[];
    readonly allowInsecureAuth?: boolean;
    onAuth?(
      given: { readonly username: string; readonly password: string },
      session: unknown,
      done: (error: Error | null, found?: { readonly user: string }) => void,
    ): void;
    onRcptTo?(address: { readonly address: string }, session: unknown, done: (error?: Error) => void): void;
    onData(message: Readable, session: unknown, done: (error?: Error) => void): void;
  }

  export class SMTPServer {
    constructor(options: SMTPServerOptions);
    readonly server: Server;
    listen(port: number, host: string, done: () => void): Server;
    close(done: () => void): void;
  }
}
