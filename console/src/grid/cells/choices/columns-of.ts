import { createContext, useContext } from 'react';

/** Id of the datagrid on the screen whose columns the user may change; undefined if they may not. */
export const ColumnsOf = createContext<string | undefined>(undefined);

/** Returns the datagrid whose columns, with their choices, the user may change. */
export const useColumnsOf = (): string | undefined => useContext(ColumnsOf);
