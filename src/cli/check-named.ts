import type { Api } from './api.ts';
import { CommandFailure } from './command.ts';

/** Exit code: no such check, or several. */
export const NO_MATCH = 3;

export interface NamedCheck {
  readonly uuid: string;
  /** What people call it. */
  readonly name: string;
}

/** The check that is meant: by its UUID, else its slug, else its exact name. */
export async function checkNamed(api: Pick<Api, 'checks'>, wanted: string): Promise<NamedCheck> {
  const checks = (await api.checks()).map(({ uuid, slug, name }) => ({
    ...{ uuid: String(uuid), slug: String(slug), name: String(name) },
  }));
  const found =
    (['uuid', 'slug', 'name'] as const)
      .map((key) => checks.filter((check) => check[key] === wanted))
      .find((matches) => matches.length > 0) ?? [];
  const [check, ...others] = found;
  if (check === undefined) throw new CommandFailure(`There is no check "${wanted}".`, NO_MATCH);
  if (others.length > 0)
    throw new CommandFailure(
      [`Several checks are called "${wanted}":`, ...found.map(({ uuid, name }) => `${uuid}  ${name}`)].join(
        '\n',
      ),
      NO_MATCH,
    );
  return { uuid: check.uuid, name: check.name || check.slug || check.uuid };
}
