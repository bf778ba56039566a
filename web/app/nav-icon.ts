/** The look of icons in the navigation. */
export const ICON = { className: 'size-4 flex-none' } as const;
