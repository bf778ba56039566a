import { Ago } from './time.tsx';

/** When something was last used, in a table. Phones show no heads of columns, so there the label stands before the time. */
export function LastUse({
  at,
  label,
  never,
}: {
  readonly at: string | null;
  readonly label: string;
  readonly never: string;
}) {
  if (at === null) return never;
  return (
    <>
      <span className="md:hidden">{label} </span>
      <Ago at={at} />
    </>
  );
}
