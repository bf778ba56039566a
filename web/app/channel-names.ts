/** The integration's own name, or its kind's. */
export const shownName = ({ name, label }: { readonly name: string; readonly label: string }) =>
  name || label;
