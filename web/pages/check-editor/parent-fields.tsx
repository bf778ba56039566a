import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import type { Choices } from './settings.ts';

const MAX_PARENTS = 10;

/** The checks without which this one cannot work. */
export function ParentFields({
  parents,
  checks,
  onChange,
}: {
  /** Unique keys, with commas. */
  readonly parents: string;
  /** Those that can be chosen. */
  readonly checks: Choices['checks'];
  readonly onChange: (parents: string) => void;
}) {
  const texts = m.checkEditor.parents;
  const chosen = checks.filter(({ key }) => parents.split(',').includes(key));
  const others = checks.filter((check) => !chosen.includes(check));
  const choose = (keys: readonly string[]) => onChange([...keys].sort().join(','));
  const keys = chosen.map(({ key }) => key);
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-1.5 text-13 font-medium">{texts.title}</legend>
      <p className="text-12 text-ink-3">{texts.hint}</p>
      {chosen.length > 0 && (
        <ul className="grid gap-1.5">
          {chosen.map(({ key, name }) => (
            <li key={key} className="flex items-center gap-2.5">
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name || m.checkEditor.unnamed}</span>
              <Button
                size="small"
                aria-label={texts.removeOne(name || m.checkEditor.unnamed)}
                onClick={() => choose(keys.filter((one) => one !== key))}
              >
                {texts.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && chosen.length < MAX_PARENTS && (
        <Select
          label={texts.add}
          value=""
          onChange={({ target: { value } }) => value !== '' && choose([...keys, value])}
        >
          <option value="">{texts.choose}</option>
          {others.map(({ key, name }) => (
            <option key={key} value={key}>
              {name || m.checkEditor.unnamed}
            </option>
          ))}
        </Select>
      )}
    </fieldset>
  );
}
