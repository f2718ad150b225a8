import { UpdateColumnDto } from '../../datagrids/column/dto/update-column.dto';

/** What would be sent to change the column. */
export class ColumnPreviewDto extends UpdateColumnDto {}
