import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';

const FOLDER = new URL('../../../test/fixtures/kuma/', import.meta.url);

export const KUMA_VERSIONS = ['1.23', '2'] as const;

export type KumaVersion = (typeof KUMA_VERSIONS)[number];

/** What has to become of a monitor or a notification. */
export interface KumaFacts {
  readonly account: { readonly password: string };
  readonly monitors: readonly {
    readonly id: number;
    readonly name: string;
    readonly type: string;
    readonly token?: string;
    readonly here: {
      readonly carried: boolean;
      readonly timeout?: number;
      readonly grace?: number;
      readonly status?: string;
      readonly desc_includes?: string;
      readonly tags_include?: readonly string[];
      readonly manual_resume?: boolean;
      readonly becomes_tag?: string;
    };
    readonly notifications?: readonly number[];
  }[];
  readonly notifications: readonly {
    readonly id: number;
    readonly type: string;
    readonly name: string;
    readonly here: {
      readonly kind: string | null;
      readonly settings?: Readonly<Record<string, unknown>>;
      readonly several?: readonly string[];
      readonly server?: Readonly<Record<string, string>>;
    };
  }[];
}

export function kumaFacts(version: KumaVersion): KumaFacts {
  return JSON.parse(readFileSync(new URL(`kuma-${version}.json`, FOLDER), 'utf8'));
}

/** A database that Kuma has written, in a folder of its own. */
export class KumaFixture implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'kuma-'));
  readonly path = join(this.folder, 'kuma.db');

  constructor(version: KumaVersion) {
    writeFileSync(this.path, gunzipSync(readFileSync(new URL(`kuma-${version}.db.gz`, FOLDER))));
  }

  /** Changes the database as Kuma might. */
  run(sql: string, ...values: (string | number | null | bigint | Uint8Array)[]): void {
    this.work((database) => database.prepare(sql).run(...values));
  }

  work<T>(work: (database: DatabaseSync) => T): T {
    using database = new DatabaseSync(this.path, { enableForeignKeyConstraints: false });
    return work(database);
  }

  /** The settings of a notification, with some replaced. */
  configure(id: number, settings: Readonly<Record<string, unknown>>): void {
    this.work((database) => {
      const row = database.prepare('select config from notification where id = ?').get(id);
      const config = JSON.stringify({ ...JSON.parse(String(row?.config)), ...settings });
      database.prepare('update notification set config = ? where id = ?').run(config, id);
    });
  }

  /** Every password, token, key and address with a key in it that the database holds. */
  secrets(): string[] {
    return this.work((database) => {
      const configs = database.prepare('select config from notification').all();
      const values = configs.flatMap(({ config }) => Object.entries(JSON.parse(String(config))));
      const isSecret = /token|key|pass|secret|url|endpoint|topic|headers|room|sid/i;
      const inConfigs = values.filter(([name]) => isSecret.test(name)).map(([, value]) => String(value));
      const hashes = database.prepare(
        "select push_token as secret from monitor union select password from user union select value from setting where key = 'jwtSecret' union select key from api_key",
      );
      const others = hashes.all().map(({ secret }) => String(secret ?? ''));
      return [...inConfigs, ...others].filter((text) => text.length >= 6);
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
