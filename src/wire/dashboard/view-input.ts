import { MAX_VIEW_QUERY } from '../../domain/saved-view.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { flag, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** The fields of a saved view. */
export const VIEW_FIELDS = {
  name: refined(text({ maxLength: TEXT_LIMITS.viewName }), 'name', (value) => oneLine(value).trim() || null),
  /** The query of an address: characters that need no further escape. */
  query: refined(text({ maxLength: MAX_VIEW_QUERY }), 'query', (value) =>
    /^[\w%+&=.~*!'()-]*$/.test(value) ? value : null,
  ),
  isShared: flag('Whether everybody in the project sees it.'),
};
